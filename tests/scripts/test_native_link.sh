#!/bin/sh
# Section names of the profile's own script: scripts of the SDKs' shape, which know nothing of any placement, put every arena where the
# plan says; with three chips, two compilers and two linkers. What such a script does not collect is an error when it is used.
set -eu
tool=$1 source=$2 work=$3
. "$source/tests/scripts/firmware.sh"
need arm-none-eabi-gcc arm-none-eabi-ld ld.lld clang cc pkg-config python3
fresh_work_folder
build_plan_arenas
inputs=$source/tests/scripts/native_link
cd "$work"

grep -v 'id: far' "$source/tests/scripts/emit_link/model.yaml" >model.yaml
grep -v 'id: far' "$source/tests/scripts/emit_link/placement.yaml" >placement.yaml
python3 - <<'PYTHON'
for name, size in (("weights", 300), ("bias", 20), ("kernel_a", 13), ("kernel_b", 21)):
    open(name + ".data", "wb").write(bytes((7 * i + size) % 251 for i in range(size)))
PYTHON

# Windows of the chips' scripts, from their makers' linker scripts: MEMORY:ORIGIN:LENGTH.
windows_apollo510="ITCM:0:262144 MRAM:4259840:4128768 DTCM:536870912:507904 SRAM:537395200:3145728"
windows_apollo4p="MRAM:98304:1998848 DTCM:268435456:393216 SRAM:268828672:1048576"
windows_apollo3p="MRAM:49152:2048000 DTCM:268435456:65536 SRAM:268505088:716800"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -ffreestanding -Os -ffunction-sections -fdata-sections"

is_in() { # ELF SYMBOL MEMORY WINDOWS
    address=$(symbol_of "$1" "$2")
    address=${address%% *}
    for window in $4; do
        [ "${window%%:*}" = "$3" ] || continue
        window=${window#*:}
        [ "$address" -ge "${window%:*}" ] && [ "$address" -lt $((${window%:*} + ${window#*:})) ] && return
    done
    fail "$1: $2 at $address is not in $3"
}

for chip in apollo510 apollo4p apollo3p; do
    core="-mcpu=cortex-m4 -mthumb -mfloat-abi=soft"
    [ $chip = apollo510 ] && core="-mcpu=cortex-m55 -mthumb -mfloat-abi=soft"
    eval "windows=\$windows_$chip"
    rm -f "$work/config.yaml"
    sed "s/soc: apollo510, linker_profile: sbl/soc: $chip/" placement.yaml >config.yaml
    expect_code 0 helia-placement generate -c config.yaml -d $chip --sections native
    ls $chip/*.ld >/dev/null 2>&1 && fail "a linker script was generated for $chip"
    for compiler in gcc clang; do
        compile="arm-none-eabi-gcc"
        [ $compiler = clang ] && compile="clang --target=arm-none-eabi"
        for file in "$inputs/main.c" "$inputs/code.c" $chip/kws_arenas.c $chip/kws_constants.S; do
            # shellcheck disable=SC2086 # lists of words
            expect_code 0 $compile $core $warnings -std=c11 -I$chip -c "$file" -o "$chip/$compiler.$(basename "$file").o"
        done
        for linker in arm-none-eabi-ld ld.lld; do
            elf=$chip/$compiler.$linker.elf
            expect_code 0 $linker --gc-sections -T "$inputs/$chip.ld" $chip/$compiler.*.o -o $elf
            [ ! -s "$work/log" ] || { cat "$work/log"; fail "$elf: the linker has something to say"; }
            check_arenas $elf $chip/kws_plan.json "$windows"
            [ "$(wc -l <"$work/arenas")" = 6 ] || fail "six arenas were expected"
            expect_code 0 helia-placement check $elf
            for object in sram_zeroed:SRAM sram_started:SRAM dtcm_zeroed:DTCM dtcm_started:DTCM mram_started:MRAM; do
                is_in $elf ${object%:*} ${object#*:} "$windows"
            done
            case $chip in
            apollo510) is_in $elf in_itcm ITCM "$windows" ;;
            apollo4p) is_in $elf in_itcm MRAM "$windows" ;;
            apollo3p) is_in $elf in_itcm DTCM "$windows" ;;
            esac
        done
    done
    # An image of another script does not pass: the gate is the proof.
    sed 's/> SHARED_SRAM/> MCU_TCM/; s/> TCM/> RWMEM/; s/AT> SHARED_SRAM/AT> MCU_TCM/; s/AT> TCM/AT> RWMEM/' "$inputs/$chip.ld" >other.ld
    expect_code 0 arm-none-eabi-ld --gc-sections -T other.ld $chip/gcc.*.o -o $chip/other.elf
    expect_code 1 helia-placement check $chip/other.elf
    log_holds 'arena-wrong-region'
done

# What no section is there for, when it is used.
for use in 'KWS_PUT_IN_PSRAM unsigned char x[4];' 'KWS_PUT_IN_SRAM_NOINIT unsigned char x[4];' 'KWS_PUT_IN_DRAM_INIT int x = 1;'; do
    printf '%s\n' '#include "kws_arenas.h"' "$use" >missing.c
    name=$(echo "$use" | cut -d' ' -f1)
    for compile in "arm-none-eabi-gcc -mcpu=cortex-m55" "clang --target=arm-none-eabi -mcpu=cortex-m55"; do
        # shellcheck disable=SC2086 # lists of words
        expect_failure $compile -ffreestanding -Iapollo510 -c missing.c -o missing.o
        log_holds "$name: .*MRAM, SRAM, DTCM, ITCM"
    done
done

# The plan puts an arena where the script has nothing for it: refused before any build.
expect_code 2 helia-placement generate -c placement.yaml -d none --sections native --set memory.planner=greedy \
    --set 'memory.tensors=[{type: scratch, attributes: {memory: psram}}]' --set memory.allocate_arenas=false --set 'engine.type=tflm' \
    --weights-location psram
log_holds 'collects no section in PSRAM .*kws_arena_constant_psram.*\[native-section\]'
[ ! -e none ] || fail "files were written"
expect_code 2 helia-placement generate -c placement.yaml -d none --sections foreign
log_holds 'own' 'native'
