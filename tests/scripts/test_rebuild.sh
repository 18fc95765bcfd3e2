#!/bin/sh
# What makes CMake projects (Ninja and Makefiles) plan, compile and link again, and what does not. For Make see test_make_include.sh.
set -eu
tool=$1 source=$2 work=$3
. "$source/tests/scripts/firmware.sh"
need cmake ninja make arm-none-eabi-gcc flatc
[ -n "${HELIA_BUILD_DIR:-}" ] || { echo "skipped: HELIA_BUILD_DIR does not name a build tree"; exit 77; }
fresh_work_folder

project="$work/project"
mkdir -p "$project/registry"
cp "$source"/examples/cmake-apollo510/* "$source"/examples/firmware/s*.[ch] "$project"
cp "$source/soc-registry/ambiq/apollo510.yaml" "$project/registry"
make_model "$project"
cat >"$project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(rebuild LANGUAGES C)
find_package(HeliaPlacement REQUIRED)
helia_placement_generate(kws SOC apollo510 MODEL kws_ds_cnn.tflite CONFIG placement.yaml REGISTRY registry)
helia_placement_generate(other SOC apollo510 MODEL kws_ds_cnn.tflite CONFIG other.yaml)
foreach(name included full other)
    add_executable(${name} ${name}.c startup.c semihosting.c)
endforeach()
target_link_libraries(included gcc)
helia_placement_link(included kws BASE_SCRIPT board.ld METHOD INCLUDE)
helia_placement_link(full kws METHOD FULL)
target_compile_definitions(other PRIVATE HP_INIT_MEMORY=other_init_memory)
helia_placement_link(other other METHOD FULL)
END
# The stack of the base script stands in a file that it INCLUDEs itself.
awk '/\.stack \(NOLOAD\)/ { print "    INCLUDE board_stack.ld"; inside = 1 }
     inside { print > stack; if (/MCU_TCM AT/) inside = 0; next } { print }' stack="$project/board_stack.ld" \
    "$source/examples/cmake-apollo510/board.ld" >"$project/board.ld"
cp "$project/main.c" "$project/included.c"
cp "$project/main.c" "$project/full.c"
cat >"$project/other.c" <<'END'
#include "other_arenas.h"
int main(void) { return other_arena_scratch_sram[0]; }
END
sed -e 's/dtcm/sram/' -e '/constant_destination/d' "$project/placement.yaml" >"$project/other.yaml"
cp -R "$project" "$work/original"

later() { # a clock tick, for file systems with coarse time stamps
    sleep 0.05
}

# Builds; in $work/log stands what was done.
build() {
    expect_code 0 cmake --build "$folder" --parallel 2
}
happens() { # WHAT PATTERN...
    what=$1
    shift
    build
    for pattern in "$@"; do
        grep -Eq "$pattern" "$work/log" || { cat "$work/log"; fail "$generator, $what: no '$pattern'"; }
    done
}
never() { # WHAT PATTERN: in the log of the last build
    if grep -Eq "$2" "$work/log"; then
        cat "$work/log"
        fail "$generator, $1: '$2' for nothing"
    fi
}
nothing_happens() { # WHAT
    build
    never "$1" 'Placing|Building|Linking|Checking|check: '
    if [ "$generator" = Ninja ]; then
        grep -q 'no work to do' "$work/log" || { cat "$work/log"; fail "$generator, $1: some work was done"; }
    fi
}

for generator in Ninja "Unix Makefiles"; do
    folder="$work/${generator%% *}"
    rm -rf "$project"
    cp -R "$work/original" "$project"
    expect_code 0 cmake -S "$project" -B "$folder" -G "$generator" --toolchain arm-none-eabi.cmake \
        "-DHeliaPlacement_DIR=$HELIA_BUILD_DIR" "-DHELIA_PLACEMENT_TOOL=$tool"
    happens "first build" 'Placing kws' 'Placing other' 'Linking C executable included' 'Linking C executable full' \
            'Linking C executable other' 'check: '
    nothing_happens "second build"

    for file in kws_ds_cnn.tflite placement.yaml registry/apollo510.yaml; do
        later; touch "$project/$file"
        happens "$file touched" 'Placing kws'
        never "$file touched" 'Building|Linking'
        nothing_happens "after $file was touched"
    done

    # Other weights: the same plan in other bytes, so nothing but the constants is new.
    later
    printf '\125\252\125' | dd of="$project/kws_ds_cnn.tflite" bs=1 seek=20000 conv=notrunc 2>/dev/null
    happens "weights changed" 'Placing kws' 'Placing other' 'kws_constants.S' 'Linking C executable included' \
            'Linking C executable full' 'Linking C executable other'
    never "weights changed" 'Building C object'
    nothing_happens "after the weights changed"

    # Another config: the target that uses it is built again, the other one is not.
    later
    sed 's/{type: scratch, attributes: {memory: dtcm}}/{type: scratch, attributes: {memory: sram}}/' "$work/original/placement.yaml" \
        >"$project/placement.yaml"
    sed 's/kws_arena_scratch_dtcm/kws_arena_scratch_sram/' "$work/original/main.c" >"$project/included.c"
    cp "$project/included.c" "$project/full.c"
    happens "config changed" 'Placing kws' 'Linking C executable included' 'Linking C executable full' 'check: '
    never "config changed" 'Placing other|Linking C executable other'
    nothing_happens "after the config changed"

    # A smaller window in the project's own registry reaches the scripts.
    later
    sed 's/origin: 0x20080000, length: 3145728, linker_name: SHARED_SRAM/origin: 0x20080000, length: 2097152, linker_name: SHARED_SRAM/' \
        "$work/original/registry/apollo510.yaml" >"$project/registry/apollo510.yaml"
    sed -i 's/ORIGIN = 0x20080000, LENGTH = 3145728/ORIGIN = 0x20080000, LENGTH = 2097152/' "$project/board.ld"
    happens "registry changed" 'Placing kws' 'Linking C executable included' 'Linking C executable full'
    grep -q 2097152 "$folder/helia-placement/kws/kws_full.ld" || fail "the window of the changed registry is not in the script"
    never "registry changed" 'Placing other'
    nothing_happens "after the registry changed"

    # One line more on top moves every line number that the scripts' comments name: new scripts, nothing to compile.
    later
    cp "$project/registry/apollo510.yaml" "$work/registry.yaml"
    { echo '# a comment'; cat "$work/registry.yaml"; } >"$project/registry/apollo510.yaml"
    happens "registry lines moved" 'Placing kws' 'Linking C executable included' 'Linking C executable full'
    never "registry lines moved" 'Building'
    nothing_happens "after the registry's lines moved"

    # The base script, and a file that it INCLUDEs, belong to the one executable that is linked with them.
    for file in board.ld board_stack.ld; do
        later
        echo '/* changed */' >>"$project/$file"
        happens "$file changed" 'Linking C executable included' 'check: '
        never "$file changed" 'Placing|Building|Linking C executable (full|other)'
        nothing_happens "after $file changed"
    done

    # A config that is wrong fails the build, leaves the good files alone, and is noticed again until it is right.
    later
    cp "$folder/helia-placement/kws/kws_full.ld" "$work/good.ld"
    cp "$project/placement.yaml" "$work/good.yaml"
    sed 's/memory: sram/memory: sarm/' "$work/good.yaml" >"$project/placement.yaml"
    expect_failure cmake --build "$folder"
    log_holds 'placement.yaml:[0-9]+:[0-9]+: error: .*sarm'
    expect_failure cmake --build "$folder"
    cmp "$folder/helia-placement/kws/kws_full.ld" "$work/good.ld" || fail "a failed run touched a good file"
    later
    cp "$work/good.yaml" "$project/placement.yaml"
    build
    nothing_happens "after the config was corrected"
done
