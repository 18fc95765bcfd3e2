#!/bin/sh
# Plans of every kind, run on an emulated Cortex-M55: the firmware itself says whether each byte is where it should be and unharmed.
set -eu
tool=$1 source=$2 work=$3
. "$source/tests/scripts/firmware.sh"
need arm-none-eabi-gcc qemu-system-arm flatc cc pkg-config python3
fresh_work_folder
build_plan_arenas
build_host_program harness_table "$source/examples/firmware/harness_table.c"
inputs=$source/tests/scripts/emulation
firmware=$source/examples/firmware
make_model "$work"
model="$work/kws_ds_cnn.tflite"
windows="QSPI:671088640:8388608 SRAM:553648128:4194304 BRAM:16777216:2097152 DTCM:536870912:524288 ITCM:0:524288 DDR:1610612736:2147483648"
linkers=bfd
if command -v ld.lld >/dev/null; then
    offer_lld
    linkers="bfd lld"
fi
cd "$work"

generate() { # FOLDER MODEL OPTION...
    generate_folder=$1 generate_model=$2
    shift 2
    expect_code 0 helia-placement generate --soc mps3-an547 --model "$generate_model" --prefix kws -d "$generate_folder" "$@"
}
has_arenas() { # FOLDER SYMBOL...
    plan_arenas "$1/kws_plan.json" | cut -d' ' -f1 | sort >"$work/found"
    shift
    printf 'kws_arena_%s\n' "$@" | sort | diff - "$work/found" || fail "the plan should have these arenas"
}
compile() { # FOLDER ELF OPTION...: SOURCES and options; both linkers read the same script
    compile_folder=$1 compile_elf=$2
    shift 2
    expect_code 0 arm-none-eabi-gcc -mcpu=cortex-m55 -mthumb -mfloat-abi=hard -O2 -Wall -Wextra -Werror -ffreestanding -nostdlib \
        -ffunction-sections -fdata-sections -Wl,--gc-sections -I"$compile_folder" -L"$compile_folder" -T"$compile_folder/kws_full.ld" \
        -I"$firmware" -I"$inputs" -o "$compile_elf" "$firmware/startup.c" "$firmware/semihosting.c" "$compile_folder/kws_arenas.c" \
        "$compile_folder/kws_constants.S" "$@" -lgcc
}
passes() { # ELF PATTERN
    expect_code 0 helia-placement check "$1"
    expect_code 0 run_in_qemu "$1"
    log_holds "^PASS $2"
}
make_table() { # MODEL FOLDER
    helia-placement model "$1" --format json >"$work/model.json"
    harness_table "$work/model.json" "$2/kws_plan.json" "$1" "$2/table.c"
}
# The network, executed operator by operator, by both linkers.
runs() { # FOLDER MODEL
    make_table "$2" "$1"
    for linker in $linkers; do
        compile "$1" "$1/$linker.elf" "$firmware/harness.c" "$1/table.c" -fuse-ld=$linker
        check_arenas "$1/$linker.elf" "$1/kws_plan.json" "$windows"
        passes "$1/$linker.elf" '[0-9]+ operators, [0-9]+ bytes checked$'
    done
}
# The harness, called by an application's own main.
sed 's/^int main(void)$/int harness_main(void);\nint harness_main(void)/' "$firmware/harness.c" >harness_late.c
constants='{type: constant, attributes: {memory: qspi, constant_destination_memory: sram}}'

# ---- where tensors may be ----
generate dtcm "$model" --set 'memory.tensors=[{type: "*", attributes: {memory: dtcm}}]'
has_arenas dtcm scratch_dtcm constant_dtcm
runs dtcm "$model"

generate spill "$model" --set "memory.tensors=[{type: constant, attributes: {memory: qspi}}]" \
    --set 'memory.constraints=[{name: DTCM, max_size: 12K}]'
has_arenas spill scratch_dtcm scratch_sram constant_qspi
runs spill "$model"

first=$(helia-placement model "$model" --format json | python3 -c '
import json, sys
print(next(t["id"] for t in json.load(sys.stdin)["tensors"] if t["role"] == "constant"))')
generate staged "$model" --set "memory.tensors=[{type: scratch, attributes: {memory: dtcm}}, $constants,
    {type: constant, id: '$first', attributes: {memory: qspi, constant_destination_memory: dtcm}}]"
has_arenas staged scratch_dtcm constant_dtcm constant_sram
runs staged "$model"

# ---- state: zero at the start, kept from run to run ----
for name in variables state; do
    flatc --binary -o . "$source/examples/models/tflite.fbs" "$source/tests/models/$name.json"
    generate $name $name.tflite --set "memory.tensors=[$constants]"
    plan_arenas $name/kws_plan.json | grep -q 'persistent$' || fail "$name has no state"
    runs $name $name.tflite
done

# ---- hydration by the application ----
generate late "$model" --set "memory.tensors=[{type: scratch, attributes: {memory: dtcm}}, $constants]" \
    --set memory.auto_hydrate_constants=false
make_table "$model" late
compile late late/forgotten.elf "$firmware/harness.c" late/table.c
expect_code 1 run_in_qemu late/forgotten.elf
log_holds '^FAIL: .* differs from the blob that it is copied from'
compile late late/app.elf "$inputs/hydrate.c" "$work/harness_late.c" late/table.c
passes late/app.elf '13 operators'

# ---- memory of the application ----
generate external "$model" --set "memory.tensors=[{type: scratch, attributes: {memory: dtcm}}, $constants]" \
    --set memory.allocate_arenas=false
make_table "$model" external
{ echo '#include "storage.h"'; cat external/table.c; } >external/storage_table.c
compile external external/app.elf "$inputs/external.c" "$work/harness_late.c" external/storage_table.c
passes external/app.elf '13 operators'

# ---- ExecuTorch's buffers ----
python3 -c 'open("program.pte", "wb").write(bytes(i % 251 for i in range(1000)))'
generate executorch program.pte --engine executorch --arena-location tcm --weights-location mram --set engine.config.planned_arena_size=163840 \
    --set engine.config.method_arena_size=65536 --set engine.config.temporary_arena_size=32768 --set engine.config.input_size=12288 \
    --set engine.config.output_size=40 --set engine.config.io_location=sram
has_arenas executorch scratch_dtcm scratch_sram constant_qspi
for linker in $linkers; do
    compile executorch executorch/$linker.elf "$inputs/buffers.c" -fuse-ld=$linker
    passes executorch/$linker.elf 'five buffers'
done

# ---- a model that the host uploads: the emulator's loader is the host ----
generate upload "$model" --engine tflm --arena-size 8192 --arena-location psram --weights-location psram
has_arenas upload scratch_ddr constant_ddr
grep -q '"host_upload": true' upload/kws_plan.json || fail "the plan does not say who brings the constants"
cmp "$model" upload/kws_constants_ddr.bin || fail "what is uploaded is not the model"
sizes=$(python3 -c '
import sys, zlib
model = open(sys.argv[1], "rb").read()
print(f"-DMODEL_SIZE={len(model)}u -DMODEL_CRC={zlib.crc32(model)}u")' "$model")
for linker in $linkers; do
    elf=upload/$linker.elf
    # shellcheck disable=SC2086 # a list of words
    compile upload $elf "$inputs/upload.c" $sizes -fuse-ld=$linker
    expect_code 0 helia-placement check $elf
    arm-none-eabi-objcopy -O binary -j '.hp.kws.*.ddr' $elf upload/ddr.raw
    [ ! -s upload/ddr.raw ] || fail "$elf stores bytes of the memory that the host fills"
    place=$(symbol_of $elf kws_arena_constant_ddr)
    # The emulator's loader of ELF files zeroes what is NOBITS, which no hardware does: it gets the bytes of the image alone.
    arm-none-eabi-objcopy -O ihex $elf upload/image.hex
    cp upload/kws_constants_ddr.bin upload.bin
    expect_code 0 timeout 60 qemu-system-arm -M mps3-an547 -nographic -semihosting-config enable=on,target=native \
        -device loader,file=upload/image.hex \
        -device "loader,file=upload.bin,addr=${place%% *},force-raw=on" </dev/null
    log_holds '^PASS the uploaded model is whole'
    expect_code 1 run_in_qemu $elf
    log_holds '^FAIL: crc32'
done

# ---- names of the chip maker's script: it copies and zeroes, the generated code hydrates and clears state ----
mkdir registry
awk '{ print } /^    image: QSPI$/ {
    print "    native:"
    print "      - {region: QSPI, rodata: \"\"}"
    print "      - {region: SRAM, bss: .sram_bss, data: .shared}"
    print "      - {region: DTCM, bss: \"\", data: \"\"}"
}' "$source/soc-registry/arm/mps3-an547.yaml" >registry/mps3-an547.yaml
HELIA_PLACEMENT_REGISTRY="$work/registry"
export HELIA_PLACEMENT_REGISTRY
places='[{type: scratch, attributes: {memory: dtcm}}, {type: persistent, attributes: {memory: sram}},'
for name in state kws_ds_cnn; do
    generate native_$name $name.tflite --sections native --set "memory.tensors=$places $constants]"
    make_table $name.tflite native_$name
    for linker in $linkers; do
        elf=native_$name/$linker.elf
        expect_code 0 arm-none-eabi-gcc -mcpu=cortex-m55 -mthumb -mfloat-abi=hard -O2 -Wall -Wextra -Werror -ffreestanding -nostdlib \
            -ffunction-sections -fdata-sections -Wl,--gc-sections -Inative_$name -T"$inputs/sdk.ld" -I"$firmware" -o $elf \
            "$firmware/startup.c" "$firmware/semihosting.c" "$firmware/harness.c" native_$name/kws_arenas.c \
            native_$name/kws_constants.S native_$name/table.c -lgcc -fuse-ld=$linker
        check_arenas $elf native_$name/kws_plan.json "$windows"
        passes $elf '[0-9]+ operators'
    done
done
generate native_cold "$model" --sections native --set "memory.tensors=$places {type: constant, attributes: {memory: sram}}]"
grep -q 'section .shared,"aw",%progbits' native_cold/kws_constants.S || fail "constants that the script copies"
unset HELIA_PLACEMENT_REGISTRY

# ---- how much of an arena was used ----
generate tight "$model" --engine tflm --arena-size 8192 --arena-location tcm --weights-location mram
compile tight tight/app.elf "$inputs/high_water.c" -DTWO_ENDED -DKWS_ARENA_HIGH_WATER=1
passes tight/app.elf 'the extents'
compile late late/high_water.elf "$inputs/high_water.c" -DKWS_ARENA_HIGH_WATER=1
passes late/high_water.elf 'the extents'
compile late late/without.elf "$inputs/hydrate.c" "$work/harness_late.c" late/table.c
if arm-none-eabi-nm late/without.elf | grep -q 'high_water\|paint'; then
    fail "what was not asked for is in the image"
fi
