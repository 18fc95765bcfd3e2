#!/bin/sh
# test_doors.sh TOOL SOURCE_FOLDER WORK_FOLDER: the rule of doors (docs/architecture.md), read from every line under src/:
#   - a file includes only rooms that its own room may see, and writes the include from src/;
#   - each third-party header is included by one file only;
#   - nobody prints or ends the process but cli/, arena_exhausted() in base/arena.c, and child_end() in plan/child.c, whose process
#     is its own.
# Then it breaks each rule in a small tree of its own, to show that a broken one is caught.
set -u
source_folder=$2
work=$3
rm -rf "$work" && mkdir -p "$work" || exit 1

cat >"$work/doors.awk" <<'AWK'
BEGIN {
    doors["base"] = "base"
    doors["diag"] = "diag base"
    doors["doc"] = "doc " doors["diag"]
    doors["schema"] = "schema " doors["doc"]
    doors["soc"] = "soc " doors["schema"]
    doors["model"] = "model " doors["schema"]
    doors["placement"] = "placement model soc " doors["schema"]
    doors["plan"] = "plan include " doors["placement"]
    doors["emit"] = "emit " doors["plan"]
    doors["image"] = "image " doors["diag"]
    doors["check"] = "check image " doors["plan"]
    doors["report"] = "report " doors["check"]
    doors["cli"] = "cli emit " doors["report"]
    doors["include"] = "include" # the public headers stand alone
    third_party = "^(yaml|jansson|libelf|gelf|sha2|sha256|dlfcn)\\.h$|^elfutils/"
    talking = "(^|[^A-Za-z0-9_])(v?f?printf|v?dprintf|f?puts|f?putc|putchar|perror|_?exit|_Exit|quick_exit|abort)[ \t]*\\("
}

function complain(text) {
    print file ":" FNR ": " text
    wrong = 1
}

function first_part(path) {
    if (path ~ /^helia_placement(\.h$|\/)/)
        return "include"
    return index(path, "/") ? substr(path, 1, index(path, "/") - 1) : ""
}

function check_include(line,    target, to) {
    target = line
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", target)
    if (target !~ /^["<]/) {
        complain("an include that is not a plain name")
        return
    }
    quoted = substr(target, 1, 1) == "\""
    target = substr(target, 2)
    sub(/[">].*/, "", target)
    to = first_part(target)
    if (!quoted && to != "include" && !(to in doors)) {
        if (target ~ third_party && !((target, file) in seen)) {
            seen[target, file] = 1
            if (target in owner)
                complain("<" target "> belongs to " owner[target])
            else
                owner[target] = file
        }
        return
    }
    if (to == "" || !(to in doors))
        complain("\"" target "\" does not name a room: includes are written from src/")
    else if (index(" " doors[room] " ", " " to " ") == 0)
        complain("wrong door: " room " includes \"" target "\"")
}

# The line without comments, strings and characters. `in_comment` lives from line to line.
function code_of(line,    code, c, two, quote) {
    code = ""
    quote = ""
    while (line != "") {
        c = substr(line, 1, 1)
        two = substr(line, 1, 2)
        if (in_comment) {
            if (two == "*/") {
                in_comment = 0
                line = substr(line, 3)
                continue
            }
        } else if (quote != "") {
            if (c == "\\") {
                line = substr(line, 3)
                continue
            }
            if (c == quote)
                quote = ""
        } else if (two == "/*") {
            in_comment = 1
            line = substr(line, 3)
            code = code " "
            continue
        } else if (two == "//") {
            break
        } else if (c == "\"" || c == "'") {
            quote = c
            code = code c
        } else {
            code = code c
        }
        line = substr(line, 2)
    }
    return code
}

FNR == 1 {
    file = substr(FILENAME, length(root) + 2)
    room = index(file, "/") ? substr(file, 1, index(file, "/") - 1) : ""
    in_comment = 0
    may_end = 0
    if (!(room in doors))
        complain("no such room: give '" room "' its doors in tests/scripts/test_doors.sh")
}

{
    was_comment = in_comment
    code = code_of($0)
    if (!was_comment && code ~ /^[ \t]*#[ \t]*include/)
        check_include($0)
    if (file == "base/arena.c" && code ~ /^(NORETURN )?void arena_exhausted\(/)
        may_end = 1
    if (file == "plan/child.c" && code ~ /^NORETURN static void child_end\(/)
        may_end = 1
    if (room != "cli" && !may_end && code ~ talking)
        complain("only cli/ prints or ends the process")
    if (code ~ /^}/)
        may_end = 0
}

END { exit wrong }
AWK

# check_tree FOLDER: prints what is wrong under it; fails if there is anything, or nothing to read.
check_tree() {
    find "$1" -type f \( -name '*.c' -o -name '*.h' -o -name '*.def' -o -name '*.inc' \) | LC_ALL=C sort >"$work/files"
    [ -s "$work/files" ] || { echo "no sources under $1"; return 1; }
    set --
    while IFS= read -r name; do set -- "$@" "$name"; done <"$work/files"
    LC_ALL=C awk -v root="$tree" -f "$work/doors.awk" "$@"
}

failed=0
tree=$source_folder/src
check_tree "$tree" || failed=1

# The proof. `add` writes one file of a small tree; `expect` says what the check must answer to it.
tree=$work/tree
add() { # PATH LINE...
    path=$tree/$1
    shift
    mkdir -p "$(dirname "$path")"
    printf '%s\n' "$@" >"$path"
}
expect() { # ANSWER (empty: all is well)
    if answer=$(check_tree "$tree"); then code=0; else code=1; fi
    case $1:$code in
    :0) [ -z "$answer" ] || { echo "the check passes but says: $answer"; failed=1; } ;;
    :1) echo "the check refuses a good tree: $answer"; failed=1 ;;
    *:0) echo "the check does not catch: $1"; failed=1 ;;
    *) [ "$answer" = "$1" ] || { echo "the check says '$answer' and not '$1'"; failed=1; } ;;
    esac
    rm -rf "$tree"
}
wrong_door() { # FILE INCLUDED
    add "$1" "#include \"$2\""
    expect "$1:1: wrong door: ${1%%/*} includes \"$2\""
}
right_door() { # FILE INCLUDED
    add "$1" "#include \"$2\""
    expect ''
}

right_door diag/a.c base/text.h
right_door placement/a.c soc/soc.h
right_door plan/a.c helia_placement/planner.h
right_door emit/a.c plan/plan.h
right_door check/a.c image/image.h
right_door report/a.c check/check.h
right_door cli/a.c emit/emit.h
right_door doc/a.c doc/doc.h
wrong_door base/a.c diag/diag.h
wrong_door diag/a.h doc/doc.h
wrong_door doc/a.c schema/schema.h
wrong_door schema/a.c soc/soc.h
wrong_door soc/a.c model/model.h
wrong_door model/a.c soc/soc.h
wrong_door placement/a.c plan/plan.h
wrong_door plan/a.c emit/emit.h
wrong_door emit/a.c check/check.h
wrong_door emit/a.c image/image.h
wrong_door check/a.c emit/emit.h
wrong_door image/a.c doc/doc.h
wrong_door image/a.c plan/plan.h
wrong_door check/a.c report/report.h
wrong_door report/a.c emit/emit.h
wrong_door report/a.c cli/cli.h
wrong_door include/helia_placement.h plan/plan.h

add soc/a.c '/* a' 'comment */' '#  include <model/model.h> /* in brackets */'
expect 'soc/a.c:3: wrong door: soc includes "model/model.h"'
add soc/a.c '#include "soc.h"'
expect 'soc/a.c:1: "soc.h" does not name a room: includes are written from src/'
add soc/a.c '#include "../model/model.h"'
expect 'soc/a.c:1: "../model/model.h" does not name a room: includes are written from src/'
add soc/a.c '#include HEADER'
expect 'soc/a.c:1: an include that is not a plain name'
add util/a.c 'int a;'
expect "util/a.c:1: no such room: give 'util' its doors in tests/scripts/test_doors.sh"

for header in yaml.h jansson.h libelf.h gelf.h elfutils/libdw.h sha2.h sha256.h dlfcn.h; do
    add image/a.c "#include <$header>" '#include <stdio.h>'
    add plan/b.c '#include <stdio.h>'
    expect ''
    add image/a.c "#include <$header>"
    add plan/b.c '#include <stdio.h>' "#include <$header>"
    expect "plan/b.c:2: <$header> belongs to image/a.c"
done

for call in 'printf("x")' 'fprintf(stderr, "x")' 'vfprintf(f, x, a)' 'puts("x")' 'fputs("x", f)' 'perror("x")' 'exit(1)' '_exit (1)' 'abort()'; do
    add plan/a.c 'void f(void)' '{' "    $call;" '}'
    expect 'plan/a.c:3: only cli/ prints or ends the process'
    add cli/a.c 'void f(void)' '{' "    $call;" '}'
    expect ''
    add base/arena.c 'void arena_exhausted(size_t wanted)' '{' "    $call;" '}'
    expect ''
    add base/arena.c 'void arena_exhausted(size_t wanted)' '{' '}' 'void g(void)' '{' "    $call;" '}'
    expect 'base/arena.c:6: only cli/ prints or ends the process'
    add plan/child.c 'NORETURN static void child_end(int status)' '{' "    $call;" '}'
    expect ''
    add plan/child.c 'NORETURN static void child_end(int status)' '{' '}' 'void g(void)' '{' "    $call;" '}'
    expect 'plan/child.c:6: only cli/ prints or ends the process'
    add plan/plan.c 'NORETURN static void child_end(int status)' '{' "    $call;" '}'
    expect 'plan/plan.c:3: only cli/ prints or ends the process'
    add base/text.c 'void arena_exhausted(size_t wanted)' '{' "    $call;" '}'
    expect 'base/text.c:3: only cli/ prints or ends the process'
done
add emit/a.c '/* exit(1) and' 'puts("x") */ // abort()' 'text_add(out, "\"exit(1);\" printf(x)");' "char c = '\"'; snprintf(a, 1, b); on_exit_(1);" \
    'int f(const char *, ...) __attribute__((format(printf, 1, 2)));'
expect ''

[ "$failed" = 0 ] && echo "doors: all right"
exit $failed
