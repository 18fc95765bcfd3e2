#!/bin/sh
# The example in examples/c-api, built outside the tree against an installed library, agrees with the command.
set -eu
tool=$1
source_folder=$2
work=$3
for program in make pkg-config cmake; do
    command -v "$program" >/dev/null || { echo "skipped: $program is not installed"; exit 77; }
done
rm -rf "$work" && mkdir -p "$work"
cmake --install "$HELIA_BUILD_DIR" --prefix "$work/prefix" >/dev/null
cp -R "$source_folder/examples/c-api" "$work/example"
cd "$work/example"
export PKG_CONFIG_PATH="$(dirname "$(find "$work/prefix" -name heliaplacement.pc)")"
flags=
nm -D --undefined-only "$(find "$work/prefix" -name 'libheliaplacement.so' | head -n 1)" | grep -q __asan_ && flags="-fsanitize=address,undefined"
make -s CFLAGS="$flags"
library_folder=$(dirname "$(find "$work/prefix" -name libheliaplacement.so | head -n 1)")
cat >model.yaml <<'YAML'
tensors:
  - {id: a, type: scratch, size: 1024, start_op: 0, end_op: 1}
  - {id: b, type: scratch, size: 2048, start_op: 1, end_op: 2}
YAML
# As the Makefile says: an rpath, or LD_LIBRARY_PATH.
make -s -B CFLAGS="$flags" LDFLAGS="-Wl,-rpath,$library_folder"
(unset LD_LIBRARY_PATH; ./plan_model apollo510 model.yaml a) | grep -q '^a: 1024 bytes' || { echo "FAILED: run by the rpath"; exit 1; }
make -s -B CFLAGS="$flags"
export LD_LIBRARY_PATH="$library_folder"
[ "$(./plan_model apollo510 model.yaml a)" = "a: 1024 bytes at offset 0 of the scratch arena in DTCM" ] || { echo "FAILED: the binding of a"; exit 1; }
code=0
./plan_model apollo510 model.yaml zzz 2>errors || code=$?
[ "$code" = 2 ] && grep -q "no tensor 'zzz'" errors || { echo "FAILED: an unknown tensor"; cat errors; exit 1; }
# Nothing but the public names is visible.
nm -D --defined-only "$library_folder/libheliaplacement.so" | awk '{print $3}' | grep -v '^helia_' | grep -v '^__\(asan\|odr_asan\|ubsan\)' | grep . && { echo "FAILED: names leak"; exit 1; }
echo "the example agrees"
