#!/bin/sh
# The Make example: builds in parallel, is where the plan says, passes in QEMU, rebuilds only what an input really changed.
set -eu
tool=$1 source=$2 work=$3
. "$source/tests/scripts/firmware.sh"
need make arm-none-eabi-gcc qemu-system-arm flatc cc pkg-config
fresh_work_folder
build_plan_arenas
cp -R "$source/examples" "$work/examples"
cd "$work/examples/make-mps3"
windows="QSPI:671088640:8388608 SRAM:553648128:4194304 BRAM:16777216:2097152 DTCM:536870912:524288 ITCM:0:524288"
plan=helia-placement/kws/kws_plan.json

expect_code 0 make -j4
check_arenas app.elf $plan "$windows"
expect_code 0 make run
log_holds '^PASS 13 operators, [0-9]+ bytes checked$'
expect_failure make run-planted
log_holds '^FAIL: operator 0 \(CONV_2D\)'

# What `make` does now: "nothing", or the names of the steps it takes, in $work/log.
does_nothing() { # WHAT
    expect_code 0 make -j4
    log_holds 'Nothing to be done|is up to date'
    if grep -Eq 'generate|gcc|check' "$work/log"; then
        cat "$work/log"
        fail "$1: something was rebuilt"
    fi
}
replans_only() { # WHAT
    expect_code 0 make -j4
    log_holds 'helia-placement.* generate '
    if grep -q 'arm-none-eabi-gcc' "$work/log"; then
        cat "$work/log"
        fail "$1: something was compiled or linked for nothing"
    fi
    does_nothing "$1, the second time"
}
replans_and_links() { # WHAT
    expect_code 0 make -j4
    log_holds 'helia-placement.* generate ' 'arm-none-eabi-gcc.* -o app.elf ' 'helia-placement.* check '
    does_nothing "$1, the second time"
}
later() { # a clock tick, for file systems with coarse time stamps
    sleep 0.05
}

does_nothing "nothing changed"
later; touch kws_ds_cnn.tflite
expect_code 0 make -j4
does_nothing "the model was touched"
later; touch placement.yaml
replans_only "the config was touched"
later; sed 's/memory: dtcm/memory: bram/' placement.yaml >changed.yaml; cat changed.yaml >placement.yaml
replans_and_links "the config was changed"
check_arenas app.elf $plan "$windows"
grep -q '"symbol": "kws_arena_scratch_bram"' $plan || fail "the changed config was not used"

# A registry of the project's own, first untouched, then with a smaller window.
mkdir registry
cp "$source/soc-registry/arm/mps3-an547.yaml" registry/
printf 'HP_REGISTRY := registry\n' >with_registry.mk
cat Makefile >>with_registry.mk
mv with_registry.mk Makefile
expect_code 0 make -j4
does_nothing "the registry was named"
later; touch registry/mps3-an547.yaml
replans_only "the registry was touched"
later; sed 's/origin: 0x01000000, length: 2097152/origin: 0x01000000, length: 1048576/' registry/mps3-an547.yaml >changed.yaml
cat changed.yaml >registry/mps3-an547.yaml
replans_and_links "the registry was changed"

# Options of the Makefile are inputs as well.
expect_code 0 make -j4 'HP_FLAGS=--set memory.planner=greedy --set memory.planner_options=null'
log_holds 'helia-placement.* generate .*greedy'
expect_code 0 make -j4
log_holds 'helia-placement.* generate '
does_nothing "the options are as before"

# The plan does not fit: the build stops, says by how much, and leaves no image behind.
expect_failure make -j4 "HP_FLAGS=--set 'memory.constraints=[{name: BRAM, max_size: 8K}]'"
log_holds 'BRAM: 16000 B used > 8192 B (capacity|budget) \(over by 7808 B\)'

# The gate fails: Make removes the image, so that nobody flashes it.
expect_code 0 make -j4
later; touch placement.yaml
expect_failure make -B app.elf 'HP_CHECK=helia-placement check --budget BRAM=1K'
[ ! -e app.elf ] || fail "an image that failed its check was left behind"

# OBJS behind the include: a warning, unless the Makefile passes the include folder itself. The example's own order is silent.
awk '/^OBJS :=/ { late = $0; next } { print } /^include / { print late }' Makefile >late.mk
sed 's/^CPPFLAGS += .*/CPPFLAGS += -I$(FIRMWARE)/' late.mk >lost.mk
expect_code 0 make -f lost.mk -n app.elf
log_holds 'OBJS is set after the include' 'set OBJS before the include'
expect_code 0 make -f late.mk -n app.elf
! grep -q 'OBJS is set after' "$work/log" || fail "a warning where the include folder is passed"
expect_code 0 make -n app.elf
! grep -q 'OBJS is set after' "$work/log" || fail "a warning where OBJS stands before the include"

# A base script of the project's own.
expect_failure make -j4 HP_METHOD=SOMEHOW
log_holds 'it is INCLUDE, INSERT, FULL or NATIVE'
expect_failure make -j4 HP_METHOD=INSERT
log_holds 'INSERT needs HP_BASE_SCRIPT'
expect_failure make -j4 HP_METHOD=INSERT HP_BASE_SCRIPT=../cmake-apollo510/board.ld
log_holds 'board.ld includes kws_sections.ld'
printf 'SECTIONS { .text : { *(.text*) } }\n' >bare.ld
expect_failure make -j4 HP_BASE_SCRIPT=bare.ld
log_holds 'bare.ld needs the line `INCLUDE kws_sections.ld`'

expect_code 0 make clean
expect_code 0 make -j4 HP_CONFIG=../cmake-apollo510/placement.yaml HP_SOC=apollo510 HP_BASE_SCRIPT=../cmake-apollo510/board.ld
log_holds 'generate .*--soc apollo510' '-Wl,-T,../cmake-apollo510/board.ld'
check_arenas app.elf $plan "ITCM:0:262144 MRAM:4259840:4128768 DTCM:536870912:507904 SRAM:537395200:3145728"
later; touch ../cmake-apollo510/board.ld
expect_code 0 make -j4 HP_CONFIG=../cmake-apollo510/placement.yaml HP_SOC=apollo510 HP_BASE_SCRIPT=../cmake-apollo510/board.ld
log_holds 'arm-none-eabi-gcc.* -o app.elf '
if grep -q 'generate' "$work/log"; then
    fail "a touched base script planned again"
fi
if command -v ld.lld >/dev/null; then
    offer_lld
    expect_code 0 make clean
    expect_code 0 make -j4 app.elf 'LDFLAGS=-nostdlib -Wl,--gc-sections -fuse-ld=lld'
    check_arenas app.elf $plan "$windows"
    expect_code 0 make run 'LDFLAGS=-nostdlib -Wl,--gc-sections -fuse-ld=lld'
    log_holds '^PASS '
fi

# Scripts that stay as they are: the sections put into one, and the names that one collects. Both by GNU ld and LLD.
grep -v '^ *INCLUDE ' ../cmake-apollo510/board.ld >untouched.ld
sed -e 's/^\( *\)\.bss (NOLOAD)/    .sram_bss (NOLOAD) : ALIGN(8) { *(.sram_bss) . = ALIGN(8); } > SHARED_SRAM AT> SHARED_SRAM\n&/' untouched.ld >native.ld
grep -q sram_bss native.ld || fail "the script for native names was not made"
apollo510="ITCM:0:262144 MRAM:4259840:4128768 DTCM:536870912:507904 SRAM:537395200:3145728"
for method in INSERT NATIVE; do
    script=untouched.ld
    [ $method = NATIVE ] && script=native.ld
    for flags in '-nostdlib -Wl,--gc-sections' '-nostdlib -Wl,--gc-sections -fuse-ld=lld'; do
        case $flags in
        *lld) command -v ld.lld >/dev/null || continue ;;
        esac
        expect_code 0 make clean
        expect_code 0 make -j4 app.elf HP_CONFIG=../cmake-apollo510/placement.yaml HP_SOC=apollo510 HP_BASE_SCRIPT=$script \
            HP_METHOD=$method "LDFLAGS=$flags"
        log_holds "-Wl,-T,$script" 'helia-placement.* check '
        check_arenas app.elf $plan "$apollo510"
        [ -e helia-placement/kws/kws_insert.ld ] || [ $method = NATIVE ] || fail "nothing to insert"
    done
done
[ ! -e helia-placement/kws/kws_full.ld ] || fail "native names need no script"
later; touch native.ld
expect_code 0 make -j4 app.elf HP_CONFIG=../cmake-apollo510/placement.yaml HP_SOC=apollo510 HP_BASE_SCRIPT=native.ld HP_METHOD=NATIVE "LDFLAGS=$flags"
log_holds 'arm-none-eabi-gcc.* -o app.elf '

expect_code 0 make clean
[ ! -e helia-placement ] || fail "make clean left the generated files"
