#!/bin/sh
# Planners built outside: the example against the installed header, by Make and by CMake, chosen by name, judged, compared; and
# planners that lie, crash, fail or are none, each with its finding at the option that named it, and exit code 2.
set -eu
tool=$1 source=$2 work=$3
. "$source/tests/scripts/firmware.sh"
need cc make cmake
[ -n "${HELIA_BUILD_DIR:-}" ] || { echo "skipped: HELIA_BUILD_DIR does not name a build tree"; exit 77; }
fresh_work_folder
unset HELIA_PLACEMENT_PLANNERS || true
expect_code 0 cmake --install "$HELIA_BUILD_DIR" --prefix "$work/prefix"
[ -f "$work/prefix/include/helia_placement/planner.h" ] || fail "the header was not installed"
cp -R "$source/examples/planner-plugin" "$work/example"
cd "$work"
include=prefix/include

# Lives of which first fit makes 192 bytes and best fit the bound, 128: at time 4 the gaps are [0,64) and [80,112); e (32) fits
# best into the second, which leaves the first to f (64).
printf '%s\n' id,lower,upper,size a,0,4,64 b,1,10,16 c,2,4,32 d,3,10,16 e,4,7,32 f,5,7,64 >lives.csv
plan="helia-placement plan --soc apollo510 --model lives.csv"
used() { # JSON: bytes of its only scratch arena
    sed -n '/"arena_usages"/,/}/s/.*"used": \([0-9]*\).*/\1/p' "$1"
}
expect_used() { # BYTES JSON
    [ "$(used "$2")" = "$1" ] || fail "$2: $(used "$2") bytes are used, expected $1"
}
judge() { # JSON
    judge_program=${HELIA_PLACEMENT_CORPUS:-}/../tools/check_plan.py
    if [ -f "$judge_program" ] && command -v python3 >/dev/null; then
        expect_code 0 python3 "$judge_program" "$1"
    else
        echo "no judge beside the corpus: $1 is held to this test's own numbers only"
    fi
}

# ---- the example, outside the source tree, paths with a space ----
expect_code 0 make -C example "HELIA_PLACEMENT_PREFIX=../prefix" "CFLAGS=-O1 -Wall -Wextra -Werror"
expect_code 0 cmake -S example -B cmake_build "-DCMAKE_PREFIX_PATH=$work/prefix"
expect_code 0 cmake --build cmake_build
for plugin in example/best_fit.so cmake_build/best_fit.so; do
    expect_code 0 $plan --planner-plugin "$plugin" --planner best_fit -q -o best_fit.json
    expect_used 128 best_fit.json
    grep -q '"name": "best_fit"' best_fit.json || fail "the plan does not name its planner"
    grep -q '"proven_optimal": true' best_fit.json || fail "128 bytes are the bound"
    judge best_fit.json
done
expect_code 0 $plan --planner greedy -q -o greedy.json
expect_used 192 greedy.json
cp example/best_fit.so .

# The header is C and C++, alone, under strict warnings.
printf '#include <helia_placement/planner.h>\nint main(void) { return HELIA_PLANNER_DONE; }\n' >alone.c
for language in c99:c c17:c c++11:c++ c++17:c++; do
    expect_code 0 cc -x "${language#*:}" -std="${language%:*}" -Wall -Wextra -Wpedantic -Werror -I $include -fsyntax-only alone.c
done

# Chosen in the config file, with its own options; by the environment; twice; relative to the current folder.
cat >placement.yaml <<'END'
target: {soc: apollo510}
model: {path: lives.csv}
memory: {planner: best_fit, planner_options: {largest_first: true}}
END
expect_code 0 helia-placement plan -c placement.yaml --planner-plugin best_fit.so -o config.json
log_holds 'planner best_fit$'
grep -q '"largest_first": true' config.json || fail "the option was not taken"
judge config.json
expect_code 0 env HELIA_PLACEMENT_PLANNERS="$work/best_fit.so:" helia-placement plan -c placement.yaml
expect_code 0 env HELIA_PLACEMENT_PLANNERS="$work/best_fit.so" helia-placement plan -c placement.yaml --planner-plugin best_fit.so \
    --planner-plugin ./best_fit.so
expect_code 2 helia-placement plan -c placement.yaml
log_holds "^placement.yaml:3:19: error: unknown planner 'best_fit' \[unknown-planner\]" 'known planners: greedy, '
expect_code 0 helia-placement generate -c placement.yaml --planner-plugin best_fit.so -d generated --depfile generated/kws.d
grep -q 'best_fit\.so' generated/kws.d || fail "the depfile does not name the plugin"

# Listed.
expect_code 0 helia-placement planners --planner-plugin ./best_fit.so
log_holds '^best_fit \(plugin best_fit.so\)$' '^    largest_first: bool, default false$' '^hill_climb \(default\)'
expect_code 0 helia-placement planners --planner-plugin "$work/best_fit.so" --format json
log_holds '"plugin": "best_fit.so"' '"plugin": null'

# ---- all planners side by side ----
expect_code 0 $plan --planner all --planner-plugin best_fit.so
log_holds '^  greedy +yes +192  no +- +[0-9]+\.[0-9]{3} ms  [A-Z]+ +192 +128 +33\.3%$' \
    '^  best_fit +yes +128  yes +- +[0-9]+\.[0-9]{3} ms  [A-Z]+ +128 +128 +0\.0%$' \
    '^No layout takes less than 128 B in all' 'Bytes say nothing of how long a run takes'
for file in first second; do
    $plan --planner all --planner-plugin best_fit.so | sed -E 's/ +[0-9]+\.[0-9]{3} ms / TIME /' >$file.txt
done
[ "$(grep -c TIME first.txt)" -ge 5 ] || fail "not every planner has a time"
cmp first.txt second.txt || fail "but for times the comparison is not the same twice"
for file in first second; do
    $plan --planner all --planner-plugin best_fit.so --format json >$file.json
done
cmp first.json second.json || fail "the comparison's JSON is not the same twice"
grep -qi 'time' first.json && fail "the comparison's JSON tells times"
expect_code 0 $plan --planner all --planner-plugin best_fit.so -q -o all.json --planner-option largest_first=true --planner-option seed=7
grep -q '"schema": "helia-placement/plan-all/1"' all.json || fail "the comparison has another schema"
[ "$(grep -c '"schema": "helia-placement/residency/1"' all.json)" = "$(helia-placement planners --planner-plugin best_fit.so | grep -c '^[a-z]')" ] ||
    fail "not every planner has a residency report"
grep -q '"largest_first": true' all.json || fail "best_fit did not get its option"
grep -q '"seed": 7' all.json || fail "hill_climb did not get its option"
expect_code 2 $plan --planner all --planner-option largest_first=true
log_holds "no planner knows the key 'memory.planner_options.largest_first' \[unknown-key\]"
expect_code 2 $plan --planner all --planner-option seed=many
log_holds '\[wrong-kind\]|\[bad-value\]'
expect_code 2 $plan --planner all --set memory.planner_options=fast
[ "$(grep -c 'error:' log)" = 1 ] || fail "one wrong value, one finding"
expect_code 1 $plan --planner all --set 'memory.constraints=[{name: DTCM, max_size: 16}, {name: SRAM, max_size: 16}]'
log_holds '^  greedy +no ' 'Memory plan does not fit'
expect_code 2 helia-placement generate -d nowhere --soc apollo510 --model lives.csv --planner all
log_holds "unknown planner 'all' \[unknown-planner\]" "'all' is for the command plan"

# ---- planners that are not good ----
bad() { # OPTION-OF-CC...: makes bad.so
    rm -f bad.so
    cc -shared -fPIC -w -I $include -o bad.so "$@" "$source/tests/scripts/bad_planner.c"
}
at='^<command line>: --planner-plugin: error: '
refused() { # PATTERN CC-OPTION...
    finding=$1
    shift
    bad "$@"
    expect_code 2 $plan --planner-plugin bad.so -o never.json
    log_holds "${at}planner plugin 'bad.so': $finding \[plugin-refused\]"
    [ ! -e never.json ] || fail "a plan was written"
    expect_code 2 helia-placement planners --planner-plugin bad.so
}
fails() { # PATTERN CC-OPTION...
    finding=$1
    shift
    bad "$@"
    expect_code 2 $plan --planner-plugin bad.so --planner stacked -o never.json
    log_holds "$at$finding"
    [ ! -e never.json ] || fail "a plan was written"
    expect_code 0 $plan --planner-plugin bad.so # whoever does not use it is not troubled
    expect_code 2 $plan --planner-plugin bad.so --planner all
    log_holds "$at$finding"
}

# The stand is good: 224 bytes of tensors, one above the other. What it prints is no part of the result.
bad -O0
$plan --planner-plugin bad.so --planner stacked --format json >stacked.json 2>printed
sed -n '1{/^{$/!q1}' stacked.json || fail "stdout does not begin with the JSON"
grep -q 'a planner that prints' printed || fail "what the planner prints is lost"
grep -q 'leaves it in its buffer' printed || fail "what the planner prints is lost if it does not flush"
expect_used 224 stacked.json
judge stacked.json
expect_code 2 $plan --planner-plugin bad.so --planner stacked --planner-option depth=5
log_holds '\[bad-value\]'
expect_code 2 $plan --planner-plugin bad.so --planner stacked --planner-option width=5
log_holds "unknown key 'memory.planner_options.width' \[unknown-key\]" 'known keys: depth'
bad -DHUGE_COUNTS
expect_code 0 $plan --planner-plugin bad.so --planner stacked --format json

refused 'is built for version 2 of the interface; this tool has version 1' -DOTHER_ABI
refused 'has a descriptor of 16 bytes; .*' -DSHORT_DESCRIPTOR
refused 'has no planner for version 1 of the interface' -DNO_PLANNER
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- # what it forges goes into the tool's pipe and nobody else's
refused 'A{511}' -DFORGES_TEXTS
refused 'has 1000000 options; 8 are allowed' -DFORGES_COUNT
refused 'does not export helia_placement_planner\(\)' -DNO_SYMBOL
refused 'ended by signal 11 \(.*\)' -DBAD_POINTER
refused 'ended by signal 6 \(.*\)' -DCRASHES_ON_LOAD
refused 'has no function solve\(\)' -DNO_SOLVE
refused 'has no summary' -DNO_SUMMARY
refused 'has 9 options; 8 are allowed' -DMANY_OPTIONS
refused "option 'depth' has no range of numbers from 5 to 4" -DBAD_RANGE
refused "option 'depth' has the default 5, which is out of its range" -DBAD_DEFAULT
refused "option key 'how deep' is no identifier" -DBAD_KEY
refused "option 'depth' is of a kind 9 .*" -DBAD_KIND
refused "has two options 'depth'" -DTWO_KEYS
refused "its name 'Greedy' is that of a built-in planner" '-DNAME="Greedy"'
refused "its name 'all' stands for all planners" '-DNAME="all"'
refused "its name 'my planner' is no identifier" '-DNAME="my planner"'
refused 'its name is longer than 63 bytes' '-DNAME="a234567890123456789012345678901234567890123456789012345678901234"'
bad '-DNAME="best_fit"'
expect_code 2 $plan --planner-plugin best_fit.so --planner-plugin bad.so
log_holds "${at}planner plugin 'bad.so': its name 'best_fit' is that of the planner in 'best_fit.so' \[plugin-refused\]"
expect_code 2 env HELIA_PLACEMENT_PLANNERS=bad.so helia-placement planners --planner-plugin best_fit.so
log_holds "^<environment>: HELIA_PLACEMENT_PLANNERS: error: planner plugin 'bad.so': its name .* \[plugin-refused\]"

echo "not an ELF file" >bad.so
expect_code 2 $plan --planner-plugin bad.so
log_holds "${at}planner plugin 'bad.so': cannot be loaded: .* \[plugin-refused\]"
: >empty.so
expect_code 2 $plan --planner-plugin empty.so --planner-plugin bad.so
log_holds "${at}planner plugin 'empty.so': cannot be loaded: .*" "${at}planner plugin 'bad.so': cannot be loaded: .*"
expect_code 3 $plan --planner-plugin missing.so
log_holds "${at}cannot load planner plugin 'missing.so': there is no such file \[file-unreadable\]"
expect_code 3 $plan --planner-plugin example
log_holds "${at}cannot load planner plugin 'example': it is no regular file \[file-unreadable\]"

refuses_layout() { # PATTERN CC-OPTION
    fails "the layout of planner 'stacked' was refused: $1 \[layout-refused\]" "$2"
    log_holds "note: the planner is the plugin 'bad.so'"
}
planner="planner plugin 'bad.so': planner 'stacked'"
refuses_layout 'items 0 and 1 are alive together and share bytes' -DLIE_OVERLAP
refuses_layout 'item 1 lies at offset 65, which is not a multiple of 16' -DLIE_ALIGNMENT
refuses_layout 'item 1 lies in memory [0-9]+, which it may not use' -DLIE_FORBIDDEN_MEMORY
fails "$planner put item 1 at offset 18446744073709551600: it ends above [0-9]+ \[plugin-failed\]" -DLIE_WRAP
fails "$planner put item 1 into memory 1000 of [0-9]+ \[plugin-failed\]" -DLIE_MEMORY
fails "$planner left item 1 without a slot \[plugin-failed\]" -DLIE_UNDONE
fails "$planner gave up: no \?\[31midea \[plugin-failed\]" -DFAILS
fails "$planner gave up with code 77 and does not say why \[plugin-failed\]" -DFAILS_SILENTLY
fails "$planner gave up: out of memory \[plugin-failed\]" -DFAILS_MEMORY
fails "$planner ended by signal 11 \(.*\) \[plugin-failed\]" -DCRASHES
fails "$planner ended by signal 6 \(.*\) \[plugin-failed\]" -DABORTS
fails "$planner ended with exit code 0 before it had answered \[plugin-failed\]" -DEXITS
