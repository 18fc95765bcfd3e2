#!/bin/sh
# The repository's models, made by flatc from text, read back by flatc and by us: both must see the same tensors and operators.
set -eu
tool=$1
source_folder=$2
work=$3
command -v flatc >/dev/null || { echo "skipped: no flatc"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3 to compare with"; exit 77; }
rm -rf "$work"
mkdir -p "$work/binary" "$work/text" "$work/ours"
schema=$source_folder/examples/models/tflite.fbs
failed=0
compared=0
for model in "$source_folder"/examples/models/*.json "$source_folder"/tests/models/*.json; do
    name=$(basename "$model" .json)
    flatc -b --strict-json -o "$work/binary" "$schema" "$model"
    flatc --json --strict-json --raw-binary --defaults-json -o "$work/text" "$schema" -- "$work/binary/$name.tflite"
    "$tool" model "$work/binary/$name.tflite" --format json >"$work/ours/$name.json"
    if ! python3 "$source_folder/tests/scripts/model_oracle.py" "$work/text/$name.json" "$work/ours/$name.json" \
        "$work/binary/$name.tflite"; then
        echo "FAILED: $name"
        failed=1
    fi
    compared=$((compared + 1))
done
echo "$compared models compared"
[ "$compared" -ge 7 ] || { echo "FAILED: too few models"; failed=1; }
exit $failed
