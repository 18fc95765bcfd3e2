# Shared by the scripts that build firmware. Sourced after `tool`, `source` and `work` are set; not a test itself.

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# Skips the whole test if a program is missing.
need() {
    for program in "$@"; do
        command -v "$program" >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
    done
}

# An empty work folder with a space in its path, which everything must bear.
fresh_work_folder() {
    rm -rf "$work"
    work="$work/with space"
    mkdir -p "$work/bin"
    ln -s "$tool" "$work/bin/helia-placement"
    PATH="$work/bin:$PATH"
    export PATH
}

make_model() { # FOLDER: makes FOLDER/kws_ds_cnn.tflite
    flatc --binary -o "$1" "$source/examples/models/tflite.fbs" "$source/examples/models/kws_ds_cnn.json"
}

# Runs a command; its output goes to $work/log, and is shown if the exit code is not the wanted one.
expect_code() { # CODE COMMAND...
    wanted=$1
    shift
    code=0
    "$@" >"$work/log" 2>&1 || code=$?
    [ "$code" = "$wanted" ] || { cat "$work/log"; fail "exit code $code, expected $wanted: $*"; }
}

expect_failure() { # COMMAND...
    if "$@" >"$work/log" 2>&1; then
        cat "$work/log"
        fail "it should have failed: $*"
    fi
}

# In one line of the log, or across lines: CMake breaks its messages.
log_holds() { # EXTENDED-PATTERN...
    for pattern in "$@"; do
        grep -Eq -e "$pattern" "$work/log" || tr -s '\n ' '  ' <"$work/log" | grep -Eq -e "$pattern" ||
            { cat "$work/log"; fail "nothing matches '$pattern'"; }
    done
}

# Host programs of the tests: PROGRAM SOURCE, compiled with Jansson.
build_host_program() {
    # shellcheck disable=SC2046 # lists of words
    cc -O1 -o "$work/bin/$1" "$2" $(pkg-config --cflags --libs jansson) || fail "$2 does not compile"
}

# tests/scripts/plan_arenas.c prints one line an arena: symbol size alignment memory role
build_plan_arenas() {
    build_host_program plan_arenas "$source/tests/scripts/plan_arenas.c"
}

# arm-none-eabi-gcc finds LLD by this name.
offer_lld() {
    ln -s "$(command -v ld.lld)" "$work/bin/arm-none-eabi-ld.lld"
}

# What the firmware in QEMU says, in $work/log; the exit code is the firmware's.
run_in_qemu() { # ELF
    timeout 60 qemu-system-arm -M mps3-an547 -nographic -semihosting-config enable=on,target=native -kernel "$1" </dev/null
}

# "address size section-index" of a symbol, in decimal; fails unless there is exactly one.
symbol_of() { # ELF SYMBOL
    arm-none-eabi-readelf -sW "$1" | awk -v name="$2" '
        function hexadecimal(text,  i, value) {
            for (i = 1; i <= length(text); i++) value = value * 16 + index("0123456789abcdef", tolower(substr(text, i, 1))) - 1
            return value
        }
        $8 == name { count++; size = $3 ~ /^0x/ ? hexadecimal(substr($3, 3)) : $3; found = hexadecimal($2) " " size " " $7 }
        END { if (count != 1) exit 1; print found }' || fail "$1: symbol $2 is there not exactly once"
}

section_type() { # ELF SECTION-INDEX
    arm-none-eabi-readelf -SW "$1" | sed 's/^ *\[ *//; s/\]//' | awk -v wanted="$2" '$1 == wanted { print $3 }'
}

# Every arena of the plan: in its region's window, aligned, of the planned size, and in a section of the right type.
# WINDOWS is a list of MEMORY:ORIGIN:LENGTH in decimal.
check_arenas() { # ELF PLAN WINDOWS
    plan_arenas "$2" >"$work/arenas"
    [ -s "$work/arenas" ] || fail "the plan has no arenas"
    while read -r symbol size alignment memory role; do
        found=$(symbol_of "$1" "$symbol")
        # shellcheck disable=SC2086 # a list of words
        set -- "$1" "$2" "$3" $found
        window=
        for candidate in $3; do
            [ "${candidate%%:*}" = "$memory" ] && window=${candidate#*:}
        done
        [ -n "$window" ] || fail "$symbol is planned in $memory, which this test has no window of"
        origin=${window%:*}
        end=$((origin + ${window#*:}))
        [ "$5" = "$size" ] || fail "$1: $symbol has $5 bytes, planned $size"
        [ $(($4 % alignment)) = 0 ] || fail "$1: $symbol at $4 is not aligned to $alignment"
        { [ "$4" -ge "$origin" ] && [ $(($4 + size)) -le "$end" ]; } || fail "$1: $symbol at $4 is outside $memory"
        type=$(section_type "$1" "$6")
        expected=NOBITS
        [ "$role" = cold ] && expected=PROGBITS
        [ "$type" = "$expected" ] || fail "$1: $symbol is in a section of type $type, expected $expected"
        set -- "$1" "$2" "$3"
    done <"$work/arenas"
}
