#!/bin/sh
# Links a small firmware with GNU ld and with LLD, and holds what the tool measures against readelf and size.
set -u
tool=$1
source_folder=$2
work=$3
for program in arm-none-eabi-gcc arm-none-eabi-readelf arm-none-eabi-size python3; do
    command -v "$program" >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0
fail() { echo "FAILED: $*"; failed=1; }

cat >main.c <<'END'
unsigned char table[3000] = {1, 2, 3};
static unsigned char work[5000];
__attribute__((section(".bss.shared"))) unsigned char shared[70000];
static const unsigned short numbers[777] = {9};
void start(void)
{
    for (unsigned i = 0; i < sizeof work; i++)
        ((volatile unsigned char *)work)[i] = (unsigned char)(table[i % sizeof table] + numbers[i % 777] + shared[i]);
    for (;;) {
    }
}
END
cat >app.ld <<'END'
ENTRY(start)
MEMORY {
    MCU_MRAM (rx) : ORIGIN = 0x00410000, LENGTH = 4128768
    MCU_TCM (rwx) : ORIGIN = 0x20000000, LENGTH = 507904
    SHARED_SRAM (rwx) : ORIGIN = 0x20080000, LENGTH = 3145728
}
SECTIONS {
    .text : { *(.text*) } > MCU_MRAM AT> MCU_MRAM
    .rodata : { *(.rodata*) } > MCU_MRAM AT> MCU_MRAM
    .data : ALIGN(8) { *(.data*) } > MCU_TCM AT> MCU_MRAM
    .shared (NOLOAD) : { *(.bss.shared) } > SHARED_SRAM AT> SHARED_SRAM
    .bss (NOLOAD) : { *(.bss*) } > MCU_TCM AT> MCU_TCM
    .stack (NOLOAD) : { . = ALIGN(8); . = . + 4096; } > MCU_TCM AT> MCU_TCM
    .heap (NOLOAD) : { . = ALIGN(8); . = ORIGIN(MCU_TCM) + LENGTH(MCU_TCM); } > MCU_TCM AT> MCU_TCM
}
END
check() { "$tool" --registry "$source_folder/soc-registry" check "$@" --soc apollo510 --profile sbl; }

arm-none-eabi-gcc -mcpu=cortex-m55 -mthumb -O1 -ffreestanding -c main.c -o main.o || exit 1
links="gnu"
arm-none-eabi-gcc -mcpu=cortex-m55 -mthumb -nostdlib -Wl,-T,app.ld main.o -o gnu.elf || exit 1
if command -v ld.lld >/dev/null; then
    ld.lld -T app.ld main.o -o lld.elf && links="gnu lld" || fail "LLD refuses the script"
else
    echo "LLD is not installed: compared with GNU ld only"
fi
for link in $links; do
    arm-none-eabi-readelf -lSW $link.elf >$link.headers
    arm-none-eabi-size -A $link.elf >$link.sizes
    check $link.elf --format json >$link.json || fail "$link: the check says no"
    python3 "$source_folder/tests/scripts/check_readelf.py" $link.headers $link.sizes $link.json || fail "$link: figures differ"
    check $link.elf | head -n 1 | grep -q "^Memory (measured) ($link link):$" || fail "$link: the heading names another link"
done

# The heap filler is reserved, and the fill of one window is exact.
grep -q '"reserved": 49[0-9]*' gnu.json || fail "nothing is reserved"

# One byte more than the window is found, although the link succeeds.
sed -e 's/LENGTH = 507904/LENGTH = 524288/' app.ld >long.ld
arm-none-eabi-gcc -mcpu=cortex-m55 -mthumb -nostdlib -Wl,-T,long.ld main.o -o long.elf || exit 1
check long.elf >long.txt && fail "a heap past the window is accepted"
grep -q '^error: \[section-straddles-window\]' long.txt || fail "the heap past the window is not named"

# A cut image is refused as an input, not measured.
head -c 2000 gnu.elf >cut.elf
check cut.elf >cut.txt 2>&1
[ $? -eq 2 ] || fail "a cut image does not give exit code 2"
[ $failed -eq 0 ] && echo "check and readelf agree"
exit $failed
