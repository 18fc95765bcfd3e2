#!/bin/sh
# From nothing to a checked firmware: builds the tool, places a keyword-spotting model on two chips, compiles and links firmware for
# both, measures the images, and runs one of them in QEMU.
#
#     sh examples/quickstart.sh
#
# Missing Debian packages are installed first. Everything made goes to build/quickstart and out/.
set -eu
cd "$(dirname "$0")/.."
. tests/packages.sh
# shellcheck disable=SC2086 # lists of words
install_packages $packages_tool $packages_firmware

step() { printf '\n== %s\n' "$*"; }

# Runs a command whose output matters only if it fails.
quietly() {
    log=out/last.log
    "$@" >"$log" 2>&1 || { cat "$log" >&2; echo "failed: $*" >&2; exit 1; }
}

mkdir -p out
step "building the tool"
quietly cmake -S . -B build/quickstart -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF
quietly cmake --build build/quickstart --target helia-placement
tool=build/quickstart/src/helia-placement
quietly cc -std=c17 -O1 -o out/harness_table examples/firmware/harness_table.c $(pkg-config --cflags --libs jansson)
$tool --version

# The model is kept as text; flatc makes the file that engines read.
quietly flatc --binary -o out examples/models/tflite.fbs examples/models/kws_ds_cnn.json
model=out/kws_ds_cnn.tflite
$tool model "$model" --format json >out/model.json

machine="-mcpu=cortex-m55 -mthumb -mfloat-abi=hard"

# Plans, generates, compiles, links and checks for one chip: its config file is examples/quickstart/<chip>.yaml.
place() {
    chip=$1
    folder=out/$chip
    step "$chip: the plan"
    $tool plan --config "examples/quickstart/$chip.yaml" --model "$model"
    $tool generate --config "examples/quickstart/$chip.yaml" --model "$model" -d "$folder"

    out/harness_table out/model.json "$folder/kws_plan.json" "$model" "$folder/table.c"
    # shellcheck disable=SC2086 # a list of options
    quietly arm-none-eabi-gcc $machine -O2 -Wall -Wextra -ffreestanding -nostdlib -ffunction-sections -fdata-sections \
        -Wl,--gc-sections "-I$folder" "-L$folder" "-T$folder/kws_full.ld" -Iexamples/firmware -o "$folder/firmware.elf" \
        examples/firmware/startup.c examples/firmware/semihosting.c examples/firmware/harness.c "$folder/table.c" \
        "$folder/kws_arenas.c" "$folder/kws_constants.S" -lgcc
    step "$chip: the linked image, measured"
    $tool check "$folder/firmware.elf"
}

place apollo510
place mps3-an547

step "mps3-an547: the firmware's own verdict"
qemu-system-arm -M mps3-an547 -nographic -semihosting-config enable=on,target=native -kernel out/mps3-an547/firmware.elf </dev/null 2>&1
