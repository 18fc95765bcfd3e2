#!/bin/sh
# Runs the examples of README.md and docs/*.md. In a page, in order:
#   ```sh test        commands that must succeed
#   ```yaml NAME      a file that the commands after it read (any language, if a name with a dot follows it)
#   ```text output    exactly what the commands before it print to stdout
# Other blocks are left alone. Each page has a folder of its own, with kws.tflite in it.
set -eu
tool=$1
source_folder=$2
work=$3
command -v flatc >/dev/null || { echo "skipped: no flatc"; exit 77; }
rm -rf "$work" && mkdir -p "$work/bin" "$work/model"
ln -s "$tool" "$work/bin/helia-placement"
PATH="$work/bin:$PATH"
export PATH LC_ALL=C
flatc -b -o "$work/model" "$source_folder/examples/models/tflite.fbs" "$source_folder/examples/models/kws_ds_cnn.json"
model=$(ls "$work/model"/kws_ds_cnn.* | head -n 1)

cat >"$work/blocks.awk" <<'AWK'
# Writes each block that counts to NNN.sh, NNN.file (first line: its name) or NNN.output.
function ending(language, what) {
    if (language == "sh" && what == "test") return "sh"
    if (language == "text" && what == "output") return "output"
    return what ~ /^[a-z_]+\.[a-z]+$/ ? "file" : ""
}
/^```/ && !inside {
    inside = 1
    kind = ending(substr($1, 4), $2)
    if (kind != "") {
        target = sprintf("%s/%03d.%s", folder, ++count, kind)
        printf "%s", (kind == "file" ? $2 "\n" : "") >target
    }
    next
}
/^```/ { inside = 0; if (kind != "") close(target); kind = ""; next }
inside && kind != "" { print >target }
END { exit inside }
AWK

failed=0
examples=0

run_page() { # PAGE FOLDER
    mkdir -p "$2/blocks" "$2/run"
    awk -v folder="$2/blocks" -f "$work/blocks.awk" "$1" || { echo "FAILED: a block of $1 does not end"; failed=1; }
    cp "$model" "$2/run/kws.tflite"
    for block in "$2"/blocks/*; do
        case $block in
        *.file) sed 1d "$block" >"$2/run/$(head -n 1 "$block")" ;;
        *.sh)
            examples=$((examples + 1))
            if ! (cd "$2/run" && sh -e "$block") >"$2/stdout" 2>"$2/stderr"; then
                echo "FAILED: an example of $(basename "$1"):"
                cat "$block" "$2/stderr"
                failed=1
            fi
            ;;
        *.output) diff -u "$block" "$2/stdout" || { echo "FAILED: $(basename "$1") shows another output"; failed=1; } ;;
        esac
    done
}

for page in "$source_folder/README.md" "$source_folder"/docs/*.md; do
    run_page "$page" "$work/$(basename "$page" .md)"
done
[ "$examples" -ge 7 ] || { echo "FAILED: only $examples examples were found"; failed=1; }

# The proof that a wrong page is caught.
printf '%s\n' '```sh test' 'echo one' '```' '```text output' 'two' '```' >"$work/wrong_output.md"
printf '%s\n' '```sh test' 'helia-placement plan --no-such-option' '```' >"$work/wrong_command.md"
for page in wrong_output wrong_command; do
    if (failed=0; run_page "$work/$page.md" "$work/$page"; exit $failed) >/dev/null; then
        echo "FAILED: $page.md was not caught"
        failed=1
    fi
done
exit $failed
