#!/bin/sh
# The flat script links a program with nothing else, for every SoC of the registry and every profile, with GNU ld and LLD.
set -u
tool=$1
source_folder=$2
work=$3
for program in arm-none-eabi-gcc arm-none-eabi-ld ld.lld; do
    command -v "$program" >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0
fail() { echo "FAILED: $*"; failed=1; }

cp "$source_folder/tests/scripts/emit_link/model.yaml" . || exit 1
sed -i 's/, data: [a-z_]*\.data//' model.yaml
cat >main.c <<'END'
#include "kws_arenas.h"
void Reset_Handler(void)
{
    kws_init_memory(0);
    for (;;) {
    }
}
END

linked=0
for soc in $("$tool" soc list | sed -n '/^SoCs:/,/^Boards:/s/^  //p'); do
    "$tool" soc show "$soc" >soc.txt || fail "soc show $soc"
    flags=$(sed -n 's/^compiler flags *//p' soc.txt)
    for profile in $(sed -n 's/^profile \([^ ]*\).*/\1/p' soc.txt); do
        folder=$soc.$profile
        "$tool" generate --soc "$soc" --profile "$profile" --model model.yaml --prefix kws -d "$folder" -q || { fail "generate $folder"; continue; }
        for source in main.c "$folder/kws_arenas.c" "$folder/kws_constants.S"; do
            # shellcheck disable=SC2086 # a list of options
            arm-none-eabi-gcc $flags -Os -ffreestanding "-I$folder" -c "$source" -o "$folder/$(basename "$source").o" || fail "$folder: $source"
        done
        for linker in arm-none-eabi-ld ld.lld; do
            $linker "-L$folder" -T "$folder/kws_full.ld" "$folder"/*.o -o "$folder/$linker.elf" || { fail "$folder with $linker"; continue; }
            "$tool" check "$folder/$linker.elf" -q || fail "check $folder/$linker.elf"
            linked=$((linked + 1))
        done
    done
done
[ "$linked" -ge 12 ] || fail "only $linked images"
exit $failed
