# Debian packages that HeliaPlacement needs, by purpose: the only list there is. Sourced by tests/run.sh and examples/quickstart.sh.
packages_tool="gcc libc6-dev make cmake ninja-build pkgconf libyaml-dev libelf-dev libjansson-dev libmd-dev"
packages_firmware="gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm flatbuffers-compiler"
packages_test="g++ clang-14 clang lld libcmocka-dev libdw-dev python3 python3-yaml"

# Installs those of the given packages that are missing; says nothing where none is.
install_packages() {
    missing=
    for package in "$@"; do
        case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
            installed) ;;
            *) missing="$missing $package" ;;
        esac
    done
    [ -n "$missing" ] || return 0
    as_root=
    if [ "$(id -u)" != 0 ]; then
        as_root=sudo
        command -v sudo >/dev/null || { echo "these packages are missing, and there is no sudo to install them:$missing" >&2; return 1; }
    fi
    log=$(mktemp)
    # shellcheck disable=SC2086 # lists of words
    if ! { $as_root apt-get update -q &&
           $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing; } >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        echo "apt-get could not install:$missing" >&2
        return 1
    fi
    rm -f "$log"
}
