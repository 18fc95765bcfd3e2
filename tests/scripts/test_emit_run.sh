#!/bin/sh
# The generated start code, run in QEMU: what each phase copies, zeroes, hydrates and leaves alone; lent buffers; a hydration of the
# user's own in place of the weak one.
set -u
tool=$1 source=$2 work=$3
inputs=$source/tests/scripts/emit_link
for program in arm-none-eabi-gcc arm-none-eabi-ld ld.lld clang qemu-system-arm python3; do
    command -v "$program" >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0
cp "$inputs/model.yaml" "$inputs/run.c" . || exit 1
sed -e 's/apollo510, linker_profile: sbl/mps3-an547/' -e 's/memory: mram/memory: qspi/' -e 's/: psram/: ddr/' \
    "$inputs/placement.yaml" >placement.yaml
python3 - <<'END' || exit 1
for name, size in (("weights", 300), ("bias", 20), ("kernel_a", 13), ("kernel_b", 21), ("far", 48)):
    open(name + ".data", "wb").write(bytes((7 * i + size) % 251 for i in range(size)))
END
# The emulator's DDR is ready at reset; here it plays an on-chip memory that is not.
cp -R "$source/soc-registry" registry && chmod -R u+w registry || exit 1
sed -i '/name: DDR/,/tier:/s/tier: external/tier: sram/' registry/arm/mps3-an547.yaml
sed -i '/name: DDR/,/access:/s/access: rwx/access: rwx\n    needs_power: true/' registry/arm/mps3-an547.yaml
generate() { "$tool" --registry registry generate -c placement.yaml "$@" || exit 1; }
generate -d out
generate -d lent --set memory.allocate_arenas=false

run() { # NAME FOLDER COMPILER LINKER OPTIONS...
    name=$1 folder=$2 compiler=$3 linker=$4
    shift 4
    mkdir -p "$name" && for file in run.c "$source/examples/firmware/semihosting.c" $folder/kws_arenas.c $folder/kws_constants.S; do
        $compiler -O2 -ffreestanding -ffunction-sections -fdata-sections -I$folder -I"$source/examples/firmware" "$@" -c "$file" \
            -o "$name/$(basename "$file").o" || { failed=1; return; }
    done
    $linker --gc-sections -L$folder -T $folder/kws_full.ld "$name"/*.o -o "$name.elf" || { failed=1; return; }
    timeout 60 qemu-system-arm -M mps3-an547 -nographic -monitor none -serial none -semihosting-config enable=on,target=native \
        -kernel "$name.elf"
    code=$?
    [ $code = 0 ] || { echo "FAILED: $name: line $((code - 1)) of run.c (modulo 255) does not hold"; failed=1; }
}
core="-mcpu=cortex-m55 -mthumb -mfloat-abi=soft"
gcc="arm-none-eabi-gcc $core"
clang="clang --target=arm-none-eabi $core"
run gcc out "$gcc" arm-none-eabi-ld
run clang out "$clang" ld.lld
run lent-gcc lent "$gcc" ld.lld -DLENT
run lent-clang lent "$clang" arm-none-eabi-ld -DLENT
run own-hydration out "$gcc" arm-none-eabi-ld -DOWN_HYDRATION
exit $failed
