#!/bin/sh
# Runs one golden case: tests/run_case.sh CASE_FOLDER TOOL
#
# CASE_FOLDER/command is a shell script that runs in a fresh copy of the folder with `helia-placement` on the PATH. Beside it:
#   expected.exit    the exit code (no file: 0)
#   expected.stdout  exactly what stdout holds (no file: not compared)
#   expected.stderr  exactly what stderr holds (no file: must be empty)
#   expected/NAME    a file that the command must have written with these bytes
# UPDATE=1 renews the files that exist; the change is then for a person to read.
set -u
case_folder=$(cd "$1" && pwd) || exit 1
tool=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp -R "$case_folder/." "$work/run" && mkdir "$work/bin" || exit 1
ln -s "$tool" "$work/bin/helia-placement"
cd "$work/run" || exit 1
PATH="$work/bin:$PATH" LC_ALL=C sh ./command >"$work/stdout" 2>"$work/stderr"
code=$?
[ "$code" = 77 ] && { cat "$work/stdout"; exit 77; }
failed=0

compare() { # WHAT EXPECTED ACTUAL
    if [ "${UPDATE:-}" = 1 ]; then
        cmp -s "$2" "$3" || cp "$3" "$2"
        return
    fi
    diff -u "$2" "$3" || { echo "FAILED: $1 differs from $(basename "$2")"; failed=1; }
}

wanted=0
[ -f "$case_folder/expected.exit" ] && wanted=$(cat "$case_folder/expected.exit")
[ "$code" = "$wanted" ] || { echo "FAILED: exit code $code, expected $wanted"; cat "$work/stderr"; failed=1; }
[ -f "$case_folder/expected.stdout" ] && compare stdout "$case_folder/expected.stdout" "$work/stdout"
if [ -f "$case_folder/expected.stderr" ]; then
    compare stderr "$case_folder/expected.stderr" "$work/stderr"
elif [ -s "$work/stderr" ]; then
    echo "FAILED: stderr is not empty"; cat "$work/stderr"; failed=1
fi
if [ -d "$case_folder/expected" ]; then
    for expected in "$case_folder"/expected/*; do
        name=$(basename "$expected")
        [ -f "$name" ] || { echo "FAILED: $name was not written"; failed=1; continue; }
        compare "$name" "$expected" "$name"
    done
fi
exit $failed
