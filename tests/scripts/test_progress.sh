#!/bin/sh
# Progress on a terminal, and what a signal leaves behind, with a planner that is built in and one that is not: see progress.py.
set -eu
tool=$1 source=$2 work=$3
. "$source/tests/scripts/firmware.sh"
need python3 cc nm
python3 -c 'import pty' 2>/dev/null || { echo "skipped: python3 has no module pty"; exit 77; }
fresh_work_folder
[ -n "${HELIA_BUILD_DIR:-}" ] || { echo "skipped: HELIA_BUILD_DIR does not name a build tree"; exit 77; }
unset HELIA_PLACEMENT_PLANNERS || true
cd "$work"
cc -shared -fPIC -w -DWAITS -I "$source/src/include" -o waits.so "$source/tests/scripts/bad_planner.c"
# The library in a program that owns its terminal.
cat >program.c <<'END'
#include <helia_placement.h>
int main(void)
{
    const struct helia_plan_options options = {.soc = "apollo510", .model = "few.csv", .planner = "stacked"};
    struct helia_plan *plan;
    enum helia_status status = helia_plan_make(&options, &plan);
    helia_plan_free(plan);
    return (int)status;
}
END
flags=
nm -D --undefined-only "$HELIA_BUILD_DIR/src/libheliaplacement.so" | grep -q __asan_ && flags="-fsanitize=address,undefined"
cc $flags -I "$source/src/include" -o program program.c -L "$HELIA_BUILD_DIR/src" -lheliaplacement -Wl,-rpath,"$HELIA_BUILD_DIR/src"
exec python3 "$source/tests/scripts/progress.py" "$tool"
