#!/bin/sh
# Planning asks no clock, no random source and no environment: the same inputs give the same layout on any host, however fast.
set -u
work=$3
folder=$HELIA_BUILD_DIR/src
command -v nm >/dev/null || { echo "skipped: nm is not installed"; exit 77; }
rm -rf "$work" && mkdir -p "$work" || exit 1
failed=0
forbidden='time|clock|clock_gettime|gettimeofday|timespec_get|times|getrusage|rand|rand_r|random|srand|getrandom|arc4random|getenv|gethostname|getpid|sysconf'

# Names of forbidden functions that a library calls but does not define.
calls() { # LIBRARY
    nm -u "$1" | awk '{ print $NF }' | sed 's/@.*//' | grep -E -x "$forbidden"
}

checked=0
for room in placement plan model emit; do
    for library in "$folder/libhelia_$room.a" "$folder/CMakeFiles/helia_$room.dir"/*/*.o; do
        [ -f "$library" ] || continue
        checked=$((checked + 1))
        calls "$library" >"$work/calls" && { echo "FAILED: $library calls $(tr '\n' ' ' <"$work/calls")"; failed=1; }
    done
done
[ "$checked" -gt 0 ] || { echo "FAILED: no library of the rooms in $folder"; failed=1; }

# The search for such calls finds one.
printf '#include <time.h>\nlong now(void);\nlong now(void) { return (long)time(0); }\n' >"$work/now.c"
cc -c "$work/now.c" -o "$work/now.o" || exit 1
calls "$work/now.o" >/dev/null || { echo "FAILED: a call of time() is not found"; failed=1; }
[ $failed = 0 ] && echo "$checked files ask no clock"
exit $failed
