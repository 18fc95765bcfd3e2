#!/bin/sh
# Every model of the corpus plans for apollo510 with each planner, and the independent judge finds no violation.
set -eu
tool=$1
work=$3
models=$HELIA_PLACEMENT_CORPUS/models
judge=$HELIA_PLACEMENT_CORPUS/../tools/check_plan.py
[ -d "$models" ] || { echo "skipped: no corpus at $HELIA_PLACEMENT_CORPUS"; exit 77; }
[ -f "$judge" ] || { echo "skipped: no judge beside the corpus"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3 for the judge"; exit 77; }
mkdir -p "$work"
failed=0
planned=0
refused=0
for model in "$models"/*.tflite; do
    name=$(basename "$model")
    for planner in greedy greedy_by_size hill_climb; do
        code=0
        "$tool" plan --soc apollo510 --model "$model" --planner "$planner" -o "$work/$planner.json" -q 2>"$work/errors" || code=$?
        if [ "$code" = 2 ]; then
            # Only tensors whose size nobody can know may stop a model, and the message must name one.
            if grep -q "tensor [0-9]* '.*\[model-unknown-size\]" "$work/errors"; then
                refused=$((refused + 1))
                continue
            fi
        fi
        if [ "$code" != 0 ]; then
            echo "FAILED: $name with $planner: exit $code"; cat "$work/errors"; failed=1; continue
        fi
        greedy=
        [ "$planner" = hill_climb ] && greedy="--greedy $work/greedy.json"
        # shellcheck disable=SC2086
        if ! python3 "$judge" "$work/$planner.json" --facts "$model.facts.json" $greedy >"$work/verdict"; then
            echo "FAILED: $name with $planner"; cat "$work/verdict"; failed=1
        fi
        planned=$((planned + 1))
    done
done
echo "$planned plans judged, $refused refused for a tensor of unknown size"
[ "$planned" -gt 250 ] || { echo "FAILED: too few plans"; failed=1; }
exit $failed
