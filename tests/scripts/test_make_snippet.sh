#!/bin/sh
# The Makefile lines of README.md and of helia-placement.mk, as they stand there, build a program that includes the generated header;
# so do two placements in one Makefile.
set -eu
tool=$1 source=$2 work=$3
. "$source/tests/scripts/firmware.sh"
need make arm-none-eabi-gcc flatc
fresh_work_folder
cd "$work"
flatc --binary -o . "$source/examples/models/tflite.fbs" "$source/examples/models/kws_ds_cnn.json"
cat >placement.yaml <<'END'
model: {path: kws_ds_cnn.tflite}
target: {soc: mps3-an547}
END
printf '#include "kws_arenas.h"\nint main(void) { return kws_init_memory(0); }\n' >main.c
cp "$source/examples/firmware/startup.c" "$source/examples/firmware/semihosting.c" "$source/examples/firmware/semihosting.h" .
{
    printf 'CC := arm-none-eabi-gcc\nCFLAGS := -mcpu=cortex-m55 -mthumb -mfloat-abi=hard -O2 -ffreestanding\n'
    printf 'LDFLAGS := $(CFLAGS) -nostdlib\nOBJS := main.o startup.o semihosting.o\n'
    sed -n '/^```make/,/^```/{/^```/!p}' "$source/README.md"
} >Makefile
grep -q '^HP_PREFIX' Makefile || fail "README.md has no Makefile lines"
expect_code 0 make
[ -e app.elf ] || fail "no image"

# A second placement must not take the first one's folder away.
printf '#include "kws_arenas.h"\n#include "two_arenas.h"\nint main(void) { return kws_init_memory(0) + two_init_memory(0); }\n' >main.c
{
    cat Makefile
    printf 'HP_PREFIX := two\ninclude $(shell helia-placement --make-include)\n'
} >two.mk
expect_code 0 make -f two.mk main.o
