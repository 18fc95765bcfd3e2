#!/bin/sh
# The same inputs give the same bytes from another folder, locale, TMPDIR and HOME; a second run touches no file.
set -eu
tool=$1
source_folder=$2
work=$3
command -v flatc >/dev/null || { echo "skipped: no flatc"; exit 77; }
rm -rf "$work" && mkdir -p "$work/one" "$work/two/deeper" "$work/other-tmp"
flatc -b -o "$work" "$source_folder/examples/models/tflite.fbs" "$source_folder/examples/models/kws_ds_cnn.json"
model=$(ls "$work"/kws_ds_cnn.* | head -n 1)
cat >"$work/placement.yaml" <<'YAML'
target: {soc: apollo510}
memory:
  tensors:
    - {type: constant, attributes: {memory: mram, constant_destination_memory: sram}}
output: {prefix: kws}
YAML
mv "$model" "$work/kws.tflite" 2>/dev/null || true
for folder in one two/deeper; do
    cp "$work/placement.yaml" "$work/kws.tflite" "$work/$folder/"
done
(cd "$work/one" && LC_ALL=C "$tool" generate -c placement.yaml --model kws.tflite -d out)
(cd "$work/two/deeper" && LC_ALL=C.UTF-8 TMPDIR="$work/other-tmp" HOME=/nonexistent TZ=Asia/Tokyo \
    "$tool" generate -c placement.yaml --model kws.tflite -d out)
diff -r "$work/one/out" "$work/two/deeper/out"
[ -s "$work/one/out/kws_plan.json" ] || { echo "FAILED: no plan was written"; exit 1; }
if grep -rl -e "$work" -e "$source_folder" "$work/one/out"; then
    echo "FAILED: an output holds a path of this machine"; exit 1
fi
find "$work/one/out" -type f -exec touch -d '2001-01-01 00:00:00' {} +
(cd "$work/one" && "$tool" generate -c placement.yaml --model kws.tflite -d out)
changed=$(find "$work/one/out" -type f -newermt '2001-01-02')
[ -z "$changed" ] || { echo "FAILED: a second run rewrote: $changed"; exit 1; }
echo "$(ls "$work/one/out" | wc -l) files identical and untouched"
