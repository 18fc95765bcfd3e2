#!/bin/sh
# Builds the tool three times and runs all tests: Release and Debug with sanitizers by GCC, and once by Clang for its warnings.
#
#     sh tests/run.sh [more arguments for ctest]
#
# Missing Debian packages are installed first. JOBS sets how much runs at once.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh
# shellcheck disable=SC2086 # lists of words
install_packages $packages_tool $packages_firmware $packages_test
jobs=${JOBS:-$(nproc)}

build() { # FOLDER OPTION...
    folder=$1
    shift
    log=$(mktemp)
    if ! { cmake -S . -B "$folder" -G Ninja -DHELIA_WERROR=ON "$@" && cmake --build "$folder" -j "$jobs"; } >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        echo "the build in $folder failed" >&2
        exit 1
    fi
    rm -f "$log"
}

build build/clang -DCMAKE_C_COMPILER=clang-14 -DCMAKE_BUILD_TYPE=Release
build build/asan-ubsan -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Debug -DHELIA_SANITIZE=ON
build build/release -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release

# Both runs are made even if the first fails: the second may say more.
code=0
ctest --test-dir build/asan-ubsan --output-on-failure -j "$jobs" "$@" || code=$?
ctest --test-dir build/release --output-on-failure -j "$jobs" "$@" || code=$?
exit $code
