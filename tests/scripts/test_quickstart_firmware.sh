#!/bin/sh
# Firmware by the generated script alone, on two chips and two linkers: every arena is where the plan says, the firmware that runs in
# QEMU finds every byte unharmed, and it notices an overlap that is planted. Also plans and links that cannot fit.
set -eu
tool=$1 source=$2 work=$3
. "$source/tests/scripts/firmware.sh"
need arm-none-eabi-gcc qemu-system-arm flatc cc pkg-config
fresh_work_folder
build_plan_arenas
build_host_program harness_table "$source/examples/firmware/harness_table.c"
make_model "$work"
model="$work/kws_ds_cnn.tflite"

# Windows of the chips' scripts, from their makers' linker scripts and QEMU's memory map: MEMORY:ORIGIN:LENGTH.
windows_apollo510="ITCM:0:262144 MRAM:4259840:4128768 DTCM:536870912:507904 SRAM:537395200:3145728"
windows_mps3_an547="QSPI:671088640:8388608 SRAM:553648128:4194304 BRAM:16777216:2097152 DTCM:536870912:524288 ITCM:0:524288"

# Functions have names of their own for what they are given: all names of a script are shared.
generate() { # CHIP FOLDER OPTION...
    generate_config="$source/examples/quickstart/$1.yaml" generate_folder=$2
    shift 2
    helia-placement generate --config "$generate_config" --model "$model" -d "$generate_folder" "$@"
}

link() { # FOLDER TABLE ELF OPTION...
    link_folder=$1 link_table=$2 link_elf=$3
    shift 3
    arm-none-eabi-gcc -mcpu=cortex-m55 -mthumb -mfloat-abi=hard -O2 -Wall -Wextra -Werror -ffreestanding -nostdlib \
        -ffunction-sections -fdata-sections -Wl,--gc-sections -I"$link_folder" -L"$link_folder" -T"$link_folder/kws_full.ld" \
        -I"$source/examples/firmware" -o "$link_elf" "$source/examples/firmware/startup.c" \
        "$source/examples/firmware/semihosting.c" "$source/examples/firmware/harness.c" "$link_table" \
        "$link_folder/kws_arenas.c" "$link_folder/kws_constants.S" -lgcc "$@"
}

make_table() { # MODEL FOLDER TABLE OPTION...
    table_model=$1 table_folder=$2 table_file=$3
    shift 3
    helia-placement model "$table_model" --format json >"$work/model.json"
    harness_table "$@" "$work/model.json" "$table_folder/kws_plan.json" "$table_model" "$table_file"
}

linkers=bfd
if command -v ld.lld >/dev/null; then
    offer_lld
    linkers="bfd lld"
fi

for chip in apollo510 mps3-an547; do
    folder="$work/$chip"
    generate "$chip" "$folder"
    # Nothing of this machine may be in what is generated: the same bytes everywhere.
    if grep -rlF "$work" "$folder"; then
        fail "a generated file holds a path of this machine"
    fi
    make_table "$model" "$folder" "$folder/table.c"
    for linker in $linkers; do
        elf="$folder/$linker.elf"
        expect_code 0 link "$folder" "$folder/table.c" "$elf" -fuse-ld=$linker
        windows=$windows_apollo510
        [ "$chip" = mps3-an547 ] && windows=$windows_mps3_an547
        check_arenas "$elf" "$folder/kws_plan.json" "$windows"
        expect_code 0 helia-placement check "$elf" --verbose --top 1
        log_holds '^Largest in DTCM:$'
        log_holds '^  15\.6 KB +kws_arena_scratch_dtcm$'
        [ "$chip" = mps3-an547 ] || continue
        expect_code 0 run_in_qemu "$elf"
        log_holds '^PASS 13 operators, [0-9]+ bytes checked$'
    done
done

# The same with operators that overwrite a dying input: views share their slot already above.
folder="$work/in_place"
cat >"$work/in_place.yaml" <<'YAML'
operators:
  - {name: CONV_2D, inputs: [in], outputs: [a]}
  - {name: LOGISTIC, inputs: [a], outputs: [b]}
  - {name: RESHAPE, inputs: [b], outputs: [c]}
  - {name: CONV_2D, inputs: [c], outputs: [d]}
  - {name: ADD, inputs: [c, d], outputs: [out]}
tensors:
  - {id: in, type: scratch, dtype: int8, shape: [1, 640]}
  - {id: a, type: scratch, dtype: int8, shape: [1, 640]}
  - {id: b, type: scratch, dtype: int8, shape: [1, 640]}
  - {id: c, type: scratch, dtype: int8, shape: [640]}
  - {id: d, type: scratch, dtype: int8, shape: [640]}
  - {id: out, type: scratch, dtype: int8, shape: [640]}
inputs: [in]
outputs: [out]
YAML
for in_place in false true; do
    helia-placement generate --soc mps3-an547 --model "$work/in_place.yaml" --prefix kws -d "$folder.$in_place" \
        --set memory.in_place=$in_place
    make_table "$work/in_place.yaml" "$folder.$in_place" "$folder.$in_place/table.c"
    expect_code 0 link "$folder.$in_place" "$folder.$in_place/table.c" "$folder.$in_place.elf"
    expect_code 0 run_in_qemu "$folder.$in_place.elf"
    log_holds '^PASS 5 operators, [0-9]+ bytes checked$'
done
# b overwrites a, c is a view of b, out overwrites c: one slot for four where views alone leave two.
shared=$(grep -c '"alias_of": "a"' "$folder.true/kws_plan.json" || true)
[ "$shared" = 3 ] || fail "with in_place, $shared tensors share the slot of a, and not b, c and out"
shared=$(grep -c '"alias_of"' "$folder.false/kws_plan.json" || true)
[ "$shared" = 1 ] || fail "without in_place, $shared tensors share a slot, and not the view alone"

# A wrong plan must not pass: the table says that an output lies over an input.
folder="$work/mps3-an547"
make_table "$model" "$folder" "$work/planted.c" --plant-overlap
expect_code 0 link "$folder" "$work/planted.c" "$work/planted.elf"
expect_code 1 run_in_qemu "$work/planted.elf"
log_holds "^FAIL: operator 0 \\(CONV_2D\\): tensor 0 'features' was overwritten while it was alive"

# Nor may it pass if the plan claims that the two share a slot, since a convolution cannot work in place.
make_table "$model" "$folder" "$work/claimed.c" --plant-alias
expect_code 0 link "$folder" "$work/claimed.c" "$work/claimed.elf"
expect_code 1 run_in_qemu "$work/claimed.elf"
log_holds "^FAIL: operator 0 \\(CONV_2D\\): tensor 0 'features' was overwritten while it was alive"

# A constant that differs from the model file must not pass either.
cp -R "$folder" "$work/damaged"
printf '\377\376\375' | dd of="$work/damaged/kws_constants_sram.bin" bs=1 seek=700 conv=notrunc 2>/dev/null
expect_code 0 link "$work/damaged" "$folder/table.c" "$work/damaged.elf"
expect_code 1 run_in_qemu "$work/damaged.elf"
log_holds '^FAIL: .* does not hold the bytes of the model file'

# State: zero at the start, kept from run to run. These models have variables.
for name in keyword_scrambled_8bit trained_lstm_int8; do
    stateful="${HELIA_PLACEMENT_CORPUS:-}/models/tensorflow+tflite-micro__$name.tflite"
    [ -f "$stateful" ] || { echo "left out: no model $name in HELIA_PLACEMENT_CORPUS"; continue; }
    helia-placement generate --config "$source/examples/quickstart/mps3-an547.yaml" --model "$stateful" -d "$work/$name"
    grep -q '^ *"role": "persistent"' "$work/$name/kws_plan.json" || fail "$name should have persistent tensors"
    make_table "$stateful" "$work/$name" "$work/$name/table.c"
    expect_code 0 link "$work/$name" "$work/$name/table.c" "$work/$name.elf"
    expect_code 0 run_in_qemu "$work/$name.elf"
    log_holds '^PASS '
done

# A budget that is too small is an answer, not a broken build: region, need, have, excess. The lower bound is two tensors of 8000.
expect_code 1 generate apollo510 "$work/tight" --set 'memory.constraints=[{name: DTCM, max_size: 8K}]'
log_holds 'DTCM: 16000 B used > 8192 B (capacity|budget) \(over by 7808 B\)'
[ ! -e "$work/tight/kws_full.ld" ] || fail "a plan that does not fit has written a script"

# Code and data that leave the plan no room: the link fails and names the region.
cat >"$work/large.c" <<'END'
#include "kws_arenas.h"
KWS_PUT_IN_DTCM unsigned char large[520000];
END
cat "$folder/table.c" "$work/large.c" >"$work/large_table.c"
expect_failure link "$folder" "$work/large_table.c" "$work/large.elf" -Wl,--undefined=large
log_holds 'DTCM'
[ ! -e "$work/large.elf" ] || fail "an image that does not fit was linked"
