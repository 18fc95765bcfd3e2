#!/bin/sh
# docs/conformance.md is what the table of requirements prints, and what the table says holds. UPDATE=1 renews the page.
set -eu
source_folder=$2
work=$3
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
make_page() { # TESTS_FOLDER
    python3 "$1/conformance/make_page.py" "$HELIA_BUILD_DIR" "$HELIA_PLACEMENT_CORPUS"
}
rm -rf "$work" && mkdir -p "$work"
failed=0
make_page "$source_folder/tests" >"$work/conformance.md" || failed=1
if [ "${UPDATE:-}" = 1 ] && [ -s "$work/conformance.md" ]; then
    cp "$work/conformance.md" "$source_folder/docs/conformance.md"
fi
diff -u "$source_folder/docs/conformance.md" "$work/conformance.md" ||
    { echo "the page differs from the table: run this test with UPDATE=1 and read the change"; failed=1; }

# A table that says what is not so is refused.
cp -R "$source_folder/tests" "$work/tests"
table=$work/tests/conformance/requirements.tsv
refuses() { # SED-COMMAND PATTERN
    sed "$1" "$source_folder/tests/conformance/requirements.tsv" >"$table"
    if make_page "$work/tests" >/dev/null 2>"$work/faults"; then
        echo "FAILED: a table changed by '$1' is accepted"; failed=1
    fi
    grep -q "$2" "$work/faults" || { echo "FAILED: '$1' should say: $2"; cat "$work/faults"; failed=1; }
}
refuses 's/unit\.plan\.greedy:/unit.plan.gready:/' 'CTest has no test unit.plan.gready'
refuses 's/pln_001_a_freed_gap_is_reused/pln_001_renamed/' 'unit.plan.greedy has no pln_001_renamed'
refuses '/^REQ-PLN-050/s/\t[^\t]*$/\t/' 'REQ-PLN-050 has neither a test nor a reason'
refuses 's/^REQ-PLN-002/REQ-PLN-001/' 'REQ-PLN-001 has two rows'
if [ -f "$HELIA_PLACEMENT_CORPUS/cases.yaml" ]; then
    refuses 's/script.conformance:PLN-006/script.conformance:PLN-021/' 'script.conformance has no PLN-021' # listed, but not run
    refuses '/^REQ-PLN-002/d' 'REQ-PLN-002 has no row'
else
    echo "without the corpus: requirements and cases were not compared"
fi
exit $failed
