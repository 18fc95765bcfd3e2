#!/bin/sh
# Every case of the corpus (cases.yaml) through the tool.
set -u
tool=$1
source_folder=$2
work=$3
cases=$HELIA_PLACEMENT_CORPUS/cases.yaml
[ -f "$cases" ] || { echo "skipped: no corpus at $HELIA_PLACEMENT_CORPUS"; exit 77; }
python3 -c 'import yaml' 2>/dev/null || { echo "skipped: no python3 with yaml"; exit 77; }
mkdir -p "$work"
exec python3 "$source_folder/tests/conformance/run_cases.py" "$tool" "$cases" "$work"
