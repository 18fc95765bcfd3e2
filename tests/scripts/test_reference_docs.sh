#!/bin/sh
# docs/config.md, docs/diagnostics.md and docs/checks.md are what the tables print. UPDATE=1 renews them.
set -eu
source_folder=$2
work=$3
generator=$HELIA_BUILD_DIR/tests/make_reference
mkdir -p "$work"
failed=0
for page in config diagnostics checks; do
    "$generator" "$page" >"$work/$page.md"
    if [ "${UPDATE:-}" = 1 ]; then
        cp "$work/$page.md" "$source_folder/docs/$page.md"
    fi
    diff -u "$source_folder/docs/$page.md" "$work/$page.md" || failed=1
done
[ "$failed" = 0 ] || echo "the page differs from the tables: run this test with UPDATE=1 and read the change"
exit $failed
