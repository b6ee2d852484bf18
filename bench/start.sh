#!/usr/bin/env bash
# Processor time (user and system, seconds) of short commands, best of three; the cache of plans is
# one of its own. Arguments: other checkouts to run in turns with this one.
set -euo pipefail
root=$(cd -P "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME=$folder/cache TIMEFORMAT='%U %S'
printf 'the tide comes, the tide goes. %.0s' {1..400} > "$folder/text.txt"

# Runs a command and prints what it took.
spent() {
    { time "$@" > "$folder/out" 2>&1; } 2>&1 | awk '{ printf "%.2f\n", $1 + $2 }'
}

# The first argument says what is done before each round.
row() {
    local name=$1 before=$2 ebb best now
    shift 2
    printf '%-28s' "$name"
    for ebb in "${launchers[@]}"; do
        best=
        for _ in 1 2 3; do
            if [[ $before == empty ]]; then rm -rf "$XDG_CACHE_HOME"; fi
            rm -rf "$folder/run"
            now=$(spent "$ebb" "$@")
            if [[ -z $best ]] || awk "BEGIN { exit !($now < $best) }"; then best=$now; fi
        done
        printf ' %8s' "$best"
    done
    echo
}

launchers=("$root/ebb")
for other in "$@"; do launchers+=("$other/ebb"); done
for ebb in "${launchers[@]}"; do "$ebb" --help > "$folder/out" 2>&1; done
row 'help' keep --help
row 'plan, no cache' empty plan
row 'plan, cached' keep plan
row 'train, one step, no cache' empty train --steps 1 --text "$folder/text.txt" --out "$folder/run"
row 'train, one step, cached' keep train --steps 1 --text "$folder/text.txt" --out "$folder/run"
