# What the scripts say, to be sourced: lines with what is done, how far it is and for how long.
# Bold and colours are for terminals whose owner has not set NO_COLOR.

BEAT=${BEAT:-5} # seconds between two lines of one step

wants_colours() { [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; }

styled() { # styled CODE TEXT
    if wants_colours; then
        printf '\033[%sm%s\033[0m' "$@"
    else
        printf '%s' "$2"
    fi
}

say() {
    styled 1 "==>"
    printf ' %s\n' "$*"
}

fail() {
    printf 'weft: %s\n' "$@" >&2
    exit 1
}

since() { # since SECOND: how long ago that was, counted as $SECONDS is
    local count=$((SECONDS - $1))
    if [ "$count" = 1 ]; then echo "1 second"; else echo "$count seconds"; fi
}

# Prints how far a command is by what it has written so far. Pip names each package as it comes to
# it, and all of them when it begins to write; apt-get names what it fetches, unpacks and sets up.
progress() { # progress LOG TOTAL
    awk -v total="$2" '
        /^Ignoring / { total-- }
        /^Collecting / { at++; name = $2; size = ""; sub(/[<>=!~;[].*/, "", name) }
        /^ +(Downloading|Using cached) / && match($0, /\([0-9.]+ [kMG]?B\)/) {
            size = " " substr($0, RSTART, RLENGTH)
        }
        /^Installing collected packages/ { writing = 1 }
        /^Get:/ { got++ }
        /^Unpacking / { unpacked++ }
        /^Setting up / { ready++ }
        END {
            of = total > 0 ? " of " total : ""
            if (writing) print at " packages are there, being written"
            else if (at) print "fetching " at of " packages: " name size
            else if (ready) print ready " packages set up"
            else if (unpacked) print unpacked " packages unpacked"
            else if (got) print got " lists and packages fetched"
            else print "at work"
        }' "$1"
}

# Says WHAT, every few seconds how far it is, and at the end how long it took. The command reads
# nothing, and its own words are shown where it fails.
watched() { # watched WHAT TOTAL COMMAND…
    local what=$1 total=$2 began=$SECONDS status=0 log beat
    shift 2
    log=$(mktemp)
    say "$what"
    (
        # It ends with the script that began it, however that ends.
        while sleep "$BEAT" >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
            printf '    %s, %s\n' "$(progress "$log" "$total")" "$(since "$began")"
        done
    ) &
    beat=$!
    "$@" >"$log" 2>&1 </dev/null || status=$?
    { kill "$beat" && wait "$beat"; } 2>/dev/null || true
    if [ "$status" = 0 ]; then
        printf '    done in %s\n' "$(since "$began")"
    else
        cat "$log" >&2
    fi
    rm -f "$log"
    return "$status"
}
