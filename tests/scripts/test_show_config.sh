#!/bin/sh
# What `plan --show-config` prints is a config: given back, it plans the same. And every value says where it comes from.
set -eu
tool=$1
work=$3
rm -rf "$work" && mkdir -p "$work/models and #more"
cd "$work"
cat >"models and #more/net.yaml" <<'YAML'
tensors:
  - {id: "x: y", size: 1024, start_op: 0, end_op: 1}
  - {id: "quote\" \\ é", size: 2048, start_op: 1, end_op: 2}
  - {id: "true", type: persistent, size: 64}
  - {id: w, type: constant, size: 512}
YAML
cat >"models and #more/placement.yaml" <<'YAML'
model: {path: net.yaml}
target: {soc: apollo510, slack: {sram: 0x1000}, linker_profile: nbl}
engine: {config: {aot_args: {memory: {allocate_arenas: false, planner_options: {max_stall_iterations: null}}}}}
memory:
  planner_options: {seed: 5}
  constraints: [{name: psram, max_size: '1M'}, {name: DTCM, max_size: 12.5%, arena_alignment: 64}]
  tensors:
    - {id: ["x: y", "quote\" \\ é"], attributes: {memory: sram}}
    - {id: 'true', attributes: {memory: psram}}
    - {type: constant, attributes: {memory: mram, constant_destination_memory: null}}
output: {prefix: _a}
YAML
failed=0

round_trip() { # NAME OPTION...
    name=$1
    shift
    "$tool" plan "$@" -q -o "$name.one.json"
    "$tool" plan "$@" --show-config >"$name.yaml"
    "$tool" plan -c "$name.yaml" -W no-unmatched-rule -q -o "$name.two.json"
    cmp "$name.one.json" "$name.two.json" || { echo "FAILED: $name plans something else when it is given back"; cat "$name.yaml"; failed=1; }
    # A line without an origin is a key whose values come below it.
    if grep -v '  # ' "$name.yaml" | grep -Ev '^(# )? *(- )?[^ ]+:$|^# *$' | grep .; then
        echo "FAILED: $name has values without an origin"
        failed=1
    fi
}

model="models and #more/net.yaml"
# Characters that steer a terminal are in the file only by their numbers, and come back the same.
printf 'tensors:\n  - {id: "\\e[2J\\u009b\\u202e", size: 64, start_op: 0, end_op: 0}\n' >steer.yaml
printf 'target: {soc: apollo510}\nmodel: {path: steer.yaml}\nmemory: {tensors: [{id: "\\e[2J\\u009b\\u202e", attributes: {memory: sram}}]}\n' >steer_placement.yaml
round_trip steered -c steer_placement.yaml -W no-unmatched-rule
if LC_ALL=C grep -q "$(printf '[\033\233\342]')" steered.yaml; then
    echo "FAILED: a control character is shown as it is"
    failed=1
fi
round_trip file -c "models and #more/placement.yaml"
round_trip overlaid -c "models and #more/placement.yaml" --planner hill_climb --planner-option seed=0x10 --set memory.constraints.1.max_size=8K
round_trip options --soc apollo510 --model "$model" --planner-option iterations=2
round_trip board --board apollo510_evb --model "$model"
round_trip tflm --soc apollo510 --model "$model" --engine tflm --arena-size 64K --arena-location sram
round_trip executorch --soc apollo510 --model "$model" --engine executorch --set engine.config.input_size=64 \
    --set engine.config.output_size=32 --set engine.config.io_location=sram
exit $failed
