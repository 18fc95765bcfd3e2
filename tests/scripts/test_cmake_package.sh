#!/bin/sh
# The CMake package: found in an install prefix and in the build tree, with Ninja and Makefiles, GNU ld and LLD; refuses what it
# cannot do and says why; the gate fails the build.
set -eu
tool=$1 source=$2 work=$3
. "$source/tests/scripts/firmware.sh"
need cmake ninja make arm-none-eabi-gcc flatc cc pkg-config
[ -n "${HELIA_BUILD_DIR:-}" ] || { echo "skipped: HELIA_BUILD_DIR does not name a build tree"; exit 77; }
fresh_work_folder
build_plan_arenas
example="$source/examples/cmake-apollo510"
windows="ITCM:0:262144 MRAM:4259840:4128768 DTCM:536870912:507904 SRAM:537395200:3145728"

# The tool on the PATH must not be what the package finds: it has its own.
rm "$work/bin/helia-placement"
expect_code 0 cmake --install "$HELIA_BUILD_DIR" --prefix "$work/prefix"
for name in bin/helia-placement share/cmake/HeliaPlacement/HeliaPlacementConfig.cmake \
            share/helia-placement/templates/make/helia-placement.mk share/helia-placement/soc-registry/arm/mps3-an547.yaml; do
    [ -f "$work/prefix/$name" ] || fail "$name was not installed"
done
# As Make reads names: a blank in one is escaped.
make_include=$(printf '%s\n' "$work/prefix/share/helia-placement/templates/make/helia-placement.mk" | sed 's/ /\\ /g')
[ "$("$work/prefix/bin/helia-placement" --make-include)" = "$make_include" ] ||
    fail "the installed tool names another Make include"

check_images() { # BUILD-FOLDER
    for image in app.elf app_full.elf; do
        check_arenas "$1/$image" "$1/helia-placement/kws/kws_plan.json" "$windows"
    done
    # Buffers and functions that main.c put into memories by macro, and what the linker must not have made of the arenas.
    symbol_of "$1/app.elf" samples >"$work/samples"
    [ "$(cut -d' ' -f1 "$work/samples")" -ge 537395200 ] || fail "samples is not in SRAM"
    symbol_of "$1/app.elf" amplify >"$work/amplify"
    [ "$(cut -d' ' -f1 "$work/amplify")" -lt 262144 ] || fail "amplify is not in ITCM"
    [ "$(wc -l <"$work/arenas")" = 3 ] || fail "expected arenas for scratch, staged and cold constants"
    expect_code 0 ctest --test-dir "$1" --output-on-failure
    log_holds 'app.kws.placement .* Passed' 'app_full.kws.placement .* Passed' '100% tests passed'
}

build_example() { # BUILD-FOLDER GENERATOR OPTION...
    build_folder=$1 build_generator=$2
    shift 2
    expect_code 0 cmake -S "$example" -B "$build_folder" -G "$build_generator" --toolchain arm-none-eabi.cmake "$@"
    expect_code 0 cmake --build "$build_folder" --parallel 2
    log_holds 'Placing kws'
    check_images "$build_folder"
}

build_example "$work/from prefix" Ninja "-DCMAKE_PREFIX_PATH=$work/prefix"
grep -qF "$work/prefix/bin/helia-placement" "$work/from prefix/build.ninja" || fail "the package used another tool than its own"
build_example "$work/from build tree" "Unix Makefiles" "-DHeliaPlacement_DIR=$HELIA_BUILD_DIR"
if command -v ld.lld >/dev/null; then
    offer_lld
    build_example "$work/lld" Ninja "-DCMAKE_PREFIX_PATH=$work/prefix" -DLINKER_IS_LLD=ON
fi

# Small projects around one executable; each is configured, and some are built.
project() { # FOLDER, then lines of CMakeLists.txt on stdin
    rm -rf "$1"
    mkdir -p "$1"
    cp "$example/main.c" "$example/placement.yaml" "$example/arm-none-eabi.cmake" "$source"/examples/firmware/s*.[ch] "$1"
    [ -f "$1/board.ld" ] || cp "$example/board.ld" "$1"
    { printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(small LANGUAGES C)' 'find_package(HeliaPlacement REQUIRED)' \
             'helia_placement_generate(kws SOC apollo510 PROFILE sbl MODEL ../kws_ds_cnn.tflite CONFIG placement.yaml)' \
             'add_executable(app main.c startup.c semihosting.c)'
      cat; } >"$1/CMakeLists.txt"
}
configure() { # FOLDER
    cmake -S "$1" -B "$1/build" -G Ninja --toolchain arm-none-eabi.cmake "-DHeliaPlacement_DIR=$HELIA_BUILD_DIR"
}
make_model "$work"

echo "helia_placement_link(app kws METHOD SOMEHOW)" | project "$work/small"
expect_failure configure "$work/small"
log_holds 'METHOD SOMEHOW is unknown' 'INCLUDE, INSERT, FULL or NATIVE'
for method in INCLUDE INSERT; do
    echo "helia_placement_link(app kws METHOD $method)" | project "$work/small"
    expect_failure configure "$work/small"
    log_holds "METHOD $method needs BASE_SCRIPT"
done
echo 'helia_placement_link(app kws BASE_SCRIPT board.ld METHOD INSERT)' | project "$work/small"
expect_failure configure "$work/small"
log_holds 'it includes kws_sections.ld'
echo 'helia_placement_link(app nothing)' | project "$work/small"
expect_failure configure "$work/small"
log_holds 'there is no placement nothing'

# A second linker script, wherever it comes from, is refused; so is one that is named after the call.
full_line='helia_placement_link(app kws METHOD FULL)'
include_line='helia_placement_link(app kws BASE_SCRIPT board.ld METHOD INCLUDE)'
refuses_second_script() { # LINE...
    printf '%s\n' "$@" | project "$work/small"
    expect_failure configure "$work/small"
    log_holds 'pass another with -T' 'sdk\.ld$' 'name the script as BASE_SCRIPT'
}
refuses_second_script "$full_line" 'target_link_options(app PRIVATE -Tsdk.ld)'
refuses_second_script 'target_link_options(app PRIVATE -T sdk.ld)' "$include_line"
refuses_second_script 'target_link_options(app PRIVATE "SHELL:-T sdk.ld")' "$full_line"
refuses_second_script 'target_link_options(app PRIVATE LINKER:-T,sdk.ld)' "$full_line"
refuses_second_script 'target_link_options(app PRIVATE -Wl,--script=sdk.ld)' "$full_line"
refuses_second_script 'string(APPEND CMAKE_EXE_LINKER_FLAGS " -T sdk.ld")' "$include_line"
refuses_second_script "$full_line" 'target_link_libraries(app PRIVATE "-Wl,-T,sdk.ld")'
refuses_second_script 'add_library(sdk INTERFACE)' 'target_link_options(sdk INTERFACE -Tsdk.ld)' 'add_library(hal STATIC startup.c)' \
    'target_link_libraries(hal PRIVATE sdk)' 'target_link_libraries(app PRIVATE hal)' "$full_line"
refuses_second_script 'target_link_options(app PRIVATE -Tsdk.ld)' 'helia_placement_link(app kws BASE_SCRIPT board.ld METHOD NATIVE)'
printf '%s\n' 'helia_placement_generate(second SOC apollo510 MODEL ../kws_ds_cnn.tflite)' "$include_line" \
    'helia_placement_link(app second METHOD FULL)' | project "$work/small"
expect_failure configure "$work/small"
log_holds 'name different linker scripts' 'board\.ld$' 'second_full\.ld$'
# Addresses are no scripts, a script of INSERT commands adds to another, and METHOD NATIVE leaves the script to the project.
printf '%s\n' 'target_link_options(app PRIVATE -Tdata=0x20000000 LINKER:-Ttext-segment,0 "-T${CMAKE_CURRENT_SOURCE_DIR}/more.ld")' \
    "$full_line" | project "$work/small"
echo 'SECTIONS { .more : { KEEP(*(.more)) } } INSERT AFTER .text;' >"$work/small/more.ld"
expect_code 0 configure "$work/small"
printf '%s\n' 'target_link_options(app PRIVATE -Tboard.ld)' 'helia_placement_link(app kws METHOD NATIVE)' | project "$work/small"
expect_code 0 configure "$work/small"
rm -rf "$work/small"

# A base script without the line, and one with the line behind the wildcards; a comment does not count as the line.
echo 'helia_placement_link(app kws BASE_SCRIPT board.ld METHOD INCLUDE)' | project "$work/small"
sed 's|INCLUDE kws_sections.ld|/* INCLUDE kws_sections.ld */|' "$example/board.ld" >"$work/small/board.ld"
expect_failure configure "$work/small"
log_holds 'METHOD INCLUDE needs this line inside SECTIONS' '^ *INCLUDE kws_sections.ld$'
awk '/INCLUDE kws_sections.ld/ { next } { print } /} > MCU_TCM AT> MCU_MRAM/ { print "INCLUDE kws_sections.ld" }' "$example/board.ld" \
    >"$work/small/board.ld"
expect_failure configure "$work/small"
log_holds 'comes after a wildcard'
# Regions by other names: refused, but not where aliases make them known or a script that is not there might.
sed -e 's/MCU_ITCM/CODE_RAM/' -e 's/MCU_MRAM/FLASH/g' -e 's/MCU_TCM/RAM/g' -e 's/SHARED_SRAM/BIG/' "$example/board.ld" >"$work/strange.ld"
cp "$work/strange.ld" "$work/small/board.ld"
expect_failure configure "$work/small"
log_holds 'none of the regions of apollo510' 'MCU_MRAM, SHARED_SRAM, MCU_TCM, MCU_ITCM' 'REGION_ALIAS\("MCU_MRAM", FLASH\)'
sed 's/^ENTRY/INCLUDE aliases.ld\n&/' "$work/strange.ld" >"$work/small/board.ld"
expect_code 0 configure "$work/small"
for pair in MCU_ITCM:CODE_RAM MCU_MRAM:FLASH MCU_TCM:RAM SHARED_SRAM:BIG; do
    echo "REGION_ALIAS(\"${pair%:*}\", ${pair#*:})"
done >"$work/small/aliases.ld"
expect_code 0 configure "$work/small"
expect_code 0 cmake --build "$work/small/build"
cp "$example/board.ld" "$work/small/board.ld"
expect_code 0 configure "$work/small"
expect_code 0 cmake --build "$work/small/build"

# Scripts that stay as they are: the sections are put into one, and the other collects names of its own, as the SDK's does.
insert_line='helia_placement_link(app kws BASE_SCRIPT board.ld METHOD INSERT)'
native_line='helia_placement_link(app kws BASE_SCRIPT board.ld METHOD NATIVE)'
for method in insert native; do
    eval "line=\$${method}_line"
    echo "$line" | project "$work/$method"
    grep -v '^ *INCLUDE ' "$example/board.ld" >"$work/$method/board.ld"
    if [ $method = native ]; then
        sed -e 's/^    \.bss (NOLOAD)/    .sram_bss (NOLOAD) : ALIGN(8) { *(.sram_bss) } > SHARED_SRAM AT> SHARED_SRAM\n&/' \
            -e 's/^    \.text : /    .itcm_text : ALIGN(8) { *(.itcm_text) . = ALIGN(8); } > MCU_ITCM AT> MCU_MRAM\n&/' \
            "$work/$method/board.ld" >"$work/$method/sdk.ld"
        mv "$work/$method/sdk.ld" "$work/$method/board.ld"
        grep -q sram_bss "$work/$method/board.ld" || fail "the script for native names was not made"
    fi
    for linker in $(command -v ld.lld >/dev/null && echo lld) bfd; do
        rm -rf "$work/$method/build"
        expect_code 0 cmake -S "$work/$method" -B "$work/$method/build" -G Ninja --toolchain arm-none-eabi.cmake \
            "-DHeliaPlacement_DIR=$HELIA_BUILD_DIR" "-DCMAKE_EXE_LINKER_FLAGS=-nostdlib -Wl,--gc-sections -fuse-ld=$linker"
        expect_code 0 cmake --build "$work/$method/build"
        log_holds 'check: ok'
        folder="$work/$method/build/helia-placement/kws"
        [ $method = native ] && folder=$folder/native
        check_arenas "$work/$method/build/app" "$folder/kws_plan.json" "$windows"
        expect_code 0 cmake --build "$work/$method/build"
        log_holds 'no work to do'
    done
    symbol_of "$work/$method/build/app" samples >"$work/samples"
    [ "$(cut -d' ' -f1 "$work/samples")" -ge 537395200 ] || fail "$method: samples is not in SRAM"
    symbol_of "$work/$method/build/app" amplify >"$work/amplify"
    [ "$(cut -d' ' -f1 "$work/amplify")" -lt 262144 ] || fail "$method: amplify is not in ITCM"
    sleep 0.05
    touch "$work/$method/board.ld"
    expect_code 0 cmake --build "$work/$method/build"
    log_holds 'Linking C executable app'
done
[ -z "$(find "$work/native/build/helia-placement/kws/native" -name '*.ld')" ] || fail "native names need no script"
[ ! -e "$work/native/build/helia-placement/kws/kws_arenas.h" ] || fail "what no executable uses was generated"

# A script that disagrees with the chip: the link names the region and both numbers.
sed 's/LENGTH = 507904/LENGTH = 524288/' "$example/board.ld" >"$work/small/board.ld"
expect_failure cmake --build "$work/small/build"
log_holds 'heliaplacement: .*(MCU_TCM|DTCM).*507904.*'

# A region of the script's own that the chip does not have: no linker objects, the gate does, with the tool's exit code 1.
sed -e 's/^MEMORY$/MEMORY { EXTRA (rw) : ORIGIN = 0x30000000, LENGTH = 4096 }\nMEMORY/' \
    -e 's/\.bss (NOLOAD) : ALIGN(8)/.extra (NOLOAD) : { . += 64; } > EXTRA AT> EXTRA\n    &/' "$example/board.ld" >"$work/small/board.ld"
expect_failure cmake --build "$work/small/build"
log_holds 'extra' 'FAILED: app'
code=0
helia-placement --version >/dev/null 2>&1 && fail "the test's own tool should not be on the PATH"
"$tool" check "$work/small/build/app" >/dev/null 2>&1 || code=$?
[ "$code" = 1 ] || fail "check should say no with exit code 1, not $code"

# CHECK TARGET leaves the build alone, and offers the gate as a target.
echo 'helia_placement_link(app kws BASE_SCRIPT board.ld METHOD INCLUDE CHECK TARGET)' | project "$work/target"
cp "$work/small/board.ld" "$work/target/board.ld"
expect_code 0 configure "$work/target"
expect_code 0 cmake --build "$work/target/build"
expect_failure cmake --build "$work/target/build" --target app_kws_check
log_holds 'extra'

# A plan that does not fit stops the build: region, need, have, excess.
echo 'helia_placement_link(app kws METHOD FULL)' | project "$work/tight"
printf '  constraints:\n    - {name: DTCM, max_size: 8K}\n' >>"$work/tight/placement.yaml"
expect_code 0 configure "$work/tight"
expect_failure cmake --build "$work/tight/build"
log_holds 'DTCM: 18816 B used > 8192 B (capacity|budget) \(over by 10624 B\)'

# Two models in one firmware: each has names of its own, and each passes its own gate.
project "$work/two" <<'END'
helia_placement_generate(second SOC apollo510 PROFILE sbl MODEL ../kws_ds_cnn.tflite CONFIG placement.yaml)
enable_testing()
helia_placement_link(app kws BASE_SCRIPT board.ld METHOD INCLUDE)
helia_placement_link(app second BASE_SCRIPT board.ld METHOD INCLUDE)
END
sed -e 's/^ *INCLUDE kws_sections.ld/&\n    INCLUDE second_sections.ld/' -e 's/^INCLUDE kws_checks.ld/&\nINCLUDE second_checks.ld/' \
    "$example/board.ld" >"$work/two/board.ld"
expect_code 0 configure "$work/two"
expect_code 0 cmake --build "$work/two/build"
expect_code 0 ctest --test-dir "$work/two/build"
log_holds 'app.kws.placement .* Passed' 'app.second.placement .* Passed'
for prefix in kws second; do
    check_arenas "$work/two/build/app" "$work/two/build/helia-placement/$prefix/${prefix}_plan.json" "$windows"
done

# An older project: its executable in a subfolder, the plain form of target_link_libraries, the chip's flags for C only.
for generator in Ninja "Unix Makefiles"; do
    rm -rf "$work/old"
    mkdir -p "$work/old/app"
    cp "$example/placement.yaml" "$work/old"
    sed '/CMAKE_ASM_FLAGS_INIT/d' "$example/arm-none-eabi.cmake" >"$work/old/arm-none-eabi.cmake"
    cp "$example/main.c" "$example/board.ld" "$source"/examples/firmware/s*.[ch] "$work/old/app"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.10)' 'project(old C)' 'find_package(HeliaPlacement 0.1 REQUIRED)' \
        'helia_placement_generate(kws SOC apollo510 MODEL ../kws_ds_cnn.tflite CONFIG placement.yaml)' 'add_subdirectory(app)' \
        >"$work/old/CMakeLists.txt"
    printf '%s\n' 'add_executable(app main.c startup.c semihosting.c)' 'target_link_libraries(app gcc)' \
        'helia_placement_link(app kws BASE_SCRIPT board.ld METHOD INCLUDE)' >"$work/old/app/CMakeLists.txt"
    expect_code 0 cmake -S "$work/old" -B "$work/old/build" -G "$generator" --toolchain arm-none-eabi.cmake \
        "-DHeliaPlacement_DIR=$HELIA_BUILD_DIR"
    expect_code 0 cmake --build "$work/old/build" --parallel 2
    check_arenas "$work/old/build/app/app" "$work/old/build/helia-placement/kws/kws_plan.json" "$windows"
done
