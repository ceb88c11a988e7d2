#!/usr/bin/env bash
# The servers that tests use: tools/servers.sh up|down|run COMMAND…
# up starts private ones on loopback and writes their addresses into .run/servers.env; down stops
# those and removes all that they kept; run gives a command the addresses of those that answer.
set -euo pipefail
cd "$(dirname "$0")/.."

place=.run
kinds=(postgres neo4j)

gather() { # one file for all, readable by its owner alone: it holds the passwords
    local kind
    mkdir -p "$place"
    (umask 077 && : >"$place/servers.env")
    for kind in "${kinds[@]}"; do
        if [ -f "$place/$kind.env" ]; then cat "$place/$kind.env" >>"$place/servers.env"; fi
    done
}

up() {
    local kind failed=0
    for kind in "${kinds[@]}"; do
        "tools/servers/$kind.sh" up || failed=1
        gather
    done
    return "$failed"
}

down() {
    local kind
    for kind in "${kinds[@]}"; do "tools/servers/$kind.sh" down; done
    rm -f "$place/servers.env"
}

run() { # a server that the environment names already is not replaced
    local kind name value
    for kind in "${kinds[@]}"; do
        name=$(sed -n '1s/=.*//p' "$place/$kind.env" 2>/dev/null) || continue
        if [ -n "${!name:-}" ] || ! "tools/servers/$kind.sh" answers; then continue; fi
        while IFS='=' read -r name value; do
            export "$name=$value"
        done <"$place/$kind.env"
    done
    exec "$@"
}

case "${1:-}" in
up | down) "$1" ;;
run) "$@" ;;
*)
    echo "weft: usage: tools/servers.sh up|down|run COMMAND" >&2
    exit 1
    ;;
esac
