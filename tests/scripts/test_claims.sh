#!/bin/sh
# The tool knows sizes and places. It says nothing of what they mean for speed or power, in no text that it could print.
set -u
tool=$1
work=$3
command -v strings >/dev/null || { echo "skipped: strings is not installed"; exit 77; }
mkdir -p "$work" || exit 1
claims='(^|[^a-z])(faster|slower|speed-?ups?|latency|inference time)([^a-z]|$)|power[- ]?(gat|sav)|saves? (power|energy)'
strings -a "$tool" | grep -E -i "$claims" >"$work/claims"
if [ -s "$work/claims" ]; then
    echo "FAILED: the tool claims more than it knows:"
    cat "$work/claims"
    exit 1
fi
# The pattern finds what it is for.
for text in 'this layout is faster' 'DTCM is power gated' 'lower latency'; do
    echo "$text" | grep -E -i -q "$claims" || { echo "FAILED: '$text' is not found"; exit 1; }
done
echo "no claim found"
