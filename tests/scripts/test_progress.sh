#!/bin/sh
# Progress on a terminal, and what a signal leaves behind, with a planner that is built in and one that is not: see progress.py.
set -eu
tool=$1 source=$2 work=$3
. "$source/tests/scripts/firmware.sh"
need python3 cc
python3 -c 'import pty' 2>/dev/null || { echo "skipped: python3 has no module pty"; exit 77; }
fresh_work_folder
unset HELIA_PLACEMENT_PLANNERS || true
cd "$work"
cc -shared -fPIC -w -DWAITS -I "$source/src/include" -o waits.so "$source/tests/scripts/bad_planner.c"
exec python3 "$source/tests/scripts/progress.py" "$tool"
