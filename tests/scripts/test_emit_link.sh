#!/bin/sh
# Links a firmware with the generated files, with both compilers and both linkers, by all three ways, and holds each image against
# the plan. Then sees the link fail where it must.
set -u
tool=$1
source_folder=$2
work=$3
inputs=$source_folder/tests/scripts/emit_link
for program in arm-none-eabi-gcc arm-none-eabi-g++ arm-none-eabi-ld arm-none-eabi-objcopy ld.lld clang readelf python3; do
    command -v "$program" >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0
fail() { echo "FAILED: $*"; failed=1; }

cp "$inputs/model.yaml" "$inputs/placement.yaml" "$inputs/main.c" . || exit 1
python3 - <<'END' || exit 1
for name, size in (("weights", 300), ("bias", 20), ("kernel_a", 13), ("kernel_b", 21), ("far", 48)):
    open(name + ".data", "wb").write(bytes((7 * i + size) % 251 for i in range(size)))
END
# The part's PSRAM plays an on-chip memory without power, so that arenas may be allocated there and phase 1 has work.
cp -R "$source_folder/soc-registry" registry || exit 1
sed -i '/name: PSRAM/,/tier:/s/tier: external/tier: sram/' registry/ambiq/apollo510.yaml
registry=$work/registry
"$tool" --registry "$registry" generate -c placement.yaml -d out || { fail "generate"; exit 1; }

# ---- the same bytes wherever it runs, and nothing of this machine in them ----
mkdir -p elsewhere/deeper && cp -- *.yaml *.data elsewhere/deeper && (
    cd elsewhere/deeper && "$tool" --registry "$registry" generate -c "$PWD/placement.yaml" -d "$PWD/out"
) || fail "generate elsewhere"
diff -r out elsewhere/deeper/out || fail "two runs differ"
grep -l -F -e "$work" -e "$source_folder" -e "$(uname -n)" out/* | sed 's/^/FAILED: names this machine: /' | grep . && failed=1

# ---- every dialect, without a warning ----
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -ffreestanding -Os -Iout"
core="-mcpu=cortex-m55 -mthumb -mfloat-abi=hard"
gcc="arm-none-eabi-gcc $core"
clang="clang --target=arm-none-eabi $core"
"$tool" --registry "$registry" generate -c placement.yaml --set memory.allocate_arenas=false -d lent || fail "generate lent"
for folder in out lent; do
    for dialect in c99 c11 c17; do
        $gcc -std=$dialect $warnings -I$folder -c $folder/kws_arenas.c -o $folder.$dialect.gcc.o || fail "gcc $dialect"
        $clang -std=$dialect $warnings -I$folder -c $folder/kws_arenas.c -o $folder.$dialect.clang.o || fail "clang $dialect"
    done
    arm-none-eabi-g++ $core -std=c++14 -x c++ $warnings -I$folder -c $folder/kws_arenas.c -o $folder.cxx.gcc.o || fail "g++"
    $clang -std=c++14 -x c++ $warnings -I$folder -c $folder/kws_arenas.c -o $folder.cxx.clang.o || fail "clang++"
done
# The same of names of the SDK's script, which has none for PSRAM, and with what is compiled in on request.
"$tool" generate -c placement.yaml -d native --sections native \
    --set 'memory.tensors=[{type: constant, attributes: {memory: mram, constant_destination_memory: sram}}]' || fail "generate native"
for folder in out lent native; do
    for compiler in "$gcc -std=c99" "$clang -std=c17" "arm-none-eabi-g++ $core -std=c++14 -x c++" "$clang -std=c++14 -x c++"; do
        $compiler $warnings -I$folder -DKWS_ARENA_HIGH_WATER=1 -c $folder/kws_arenas.c -o high_water.o || fail "high water: $compiler"
    done
done
$gcc -std=c11 $warnings -c main.c -o main.gcc.o || fail "main with gcc"
$clang -std=c11 $warnings -c main.c -o main.clang.o || fail "main with clang"
$gcc -Iout -c out/kws_constants.S -o constants.gcc.o || fail "assembler of gcc"
$clang -Iout -c out/kws_constants.S -o constants.clang.o || fail "assembler of clang"

# ---- a memory that the chip lacks ----
printf '%s\n' '#include "kws_arenas.h"' 'KWS_PUT_IN_DRAM unsigned char x[4];' >missing.c
for compiler in "$gcc" "$clang"; do
    $compiler $warnings -c missing.c -o missing.o 2>missing.txt && fail "a missing memory compiles: $compiler"
    grep -q 'KWS_PUT_IN_DRAM: .*MRAM, SRAM, DTCM, ITCM, PSRAM' missing.txt || { cat missing.txt; fail "the message of a missing memory"; }
done

# ---- links ----
base_script() { # FILE LENGTH SECTIONS CHECKS PSRAM
    sed -e "s|@LENGTH@|$2|" -e "s|@SECTIONS@|$3|" -e "s|@CHECKS@|$4|" -e "s|@PSRAM@|$5|" "$inputs/base.ld.in" |
        sed '1d' >"$1"
}
psram='PSRAM (rw) : ORIGIN = 0x60000000, LENGTH = 67108864'
base_script include.ld 507904 'INCLUDE kws_sections.ld' 'INCLUDE kws_checks.ld' "$psram"
base_script plain.ld 507904 '' '' ''

link() { # NAME LINKER OBJECTS... -- OPTIONS
    name=$1
    linker=$2
    compiler=$3
    shift 3
    objects="main.$compiler.o out.c11.$compiler.o constants.$compiler.o"
    $linker -Lout "$@" $objects --gc-sections --orphan-handling=warn -o "$name.elf" >"$name.txt" 2>&1
}
# Sections that linkers make themselves and then warn of; GNU ld's two remarks on scripts that come before MEMORY.
made='\.glue_7\|\.vfp11_veneer\|\.v4_bx\|\.iplt\|\.rel\.iplt\|\.igot\|\.symtab\|\.shstrtab\|\.strtab\|\.rel\.dyn'
unknown_remarks() { # NAME
    grep -v "$made" "$1.txt" | grep -v 'memory region .* not declared\|redeclaration of memory region' | grep .
}

for compiler in gcc clang; do
    for linker in "arm-none-eabi-ld --warn-rwx-segments" ld.lld; do
        for method in full include insert; do
            name=$compiler.$(echo "$linker" | cut -c1-3).$method
            case $method in
            full) set -- -T out/kws_full.ld ;;
            include) set -- -T include.ld ;;
            insert) set -- -T out/kws_insert.ld -T plain.ld out/kws_checks.ld ;;
            esac
            link "$name" "$linker" $compiler "$@" || { cat "$name.txt"; fail "$name does not link"; continue; }
            unknown_remarks "$name" && fail "$name: the linker has something to say"
            python3 "$inputs/compare.py" "$name.elf" out || failed=1
            arm-none-eabi-objcopy -O binary "$name.elf" "$name.bin" || fail "objcopy"
            [ "$(wc -c <"$name.bin")" -lt 8192 ] || fail "$name.bin has $(wc -c <"$name.bin") bytes"
        done
        # Without remarks on orphans nothing is left to warn of.
        name=$compiler.$(echo "$linker" | cut -c1-3).fatal
        for script in out/kws_full.ld include.ld; do
            $linker -Lout -T $script main.$compiler.o out.c11.$compiler.o constants.$compiler.o --fatal-warnings -o "$name.elf" ||
                fail "$name with $script"
        done
        $linker -Lout --defsym=__hp_stack_size__=0x300 -T out/kws_full.ld main.$compiler.o out.c11.$compiler.o constants.$compiler.o \
            -o "$name.elf" && readelf -SW "$name.elf" | grep -q '\.stack .* 000300 ' || fail "the stack's size cannot be set with $linker"
    done
done

# ---- links that must fail ----
must_fail() { # WHAT LINKER SCRIPT PATTERN
    $2 -Lout -T "$3" main.gcc.o out.c11.gcc.o constants.gcc.o -o bad.elf >bad.txt 2>&1 && fail "$1 links with $2"
    grep -q "$4" bad.txt || { cat bad.txt; fail "$1: the message of $2"; }
}
base_script shorter.ld 507903 'INCLUDE kws_sections.ld' 'INCLUDE kws_checks.ld' "$psram"
base_script tiny.ld 1087 'INCLUDE kws_sections.ld' 'INCLUDE kws_checks.ld' "$psram"
base_script unplanned.ld 507904 'INCLUDE kws_sections.ld' 'INCLUDE kws_checks.ld' "$psram"
sed 's/KEEP(\*(.bss.hp_arena.kws.scratch.sram))//' out/kws_sections.ld >kws_sections.ld
for linker in arm-none-eabi-ld ld.lld; do
    rm -f kws_sections.ld
    must_fail "a region one byte short" $linker shorter.ld 'heliaplacement: region length DTCM need 507904 .*apollo510.yaml'
    must_fail "a region too small for the arenas" $linker tiny.ld 'will not fit in region'
    sed 's/KEEP(\*(.bss.hp_arena.kws.scratch.sram))//' out/kws_sections.ld >kws_sections.ld
    must_fail "an arena that no section takes" $linker unplanned.ld 'heliaplacement: planned arenas in SRAM need 8000 .*placement.yaml:'
done
rm -f kws_sections.ld
exit $failed
