#!/usr/bin/env bash
# tools/test.sh quick: the gates, house and unit tests; tools/test.sh all: the gates and every test.
# Every gate runs even when one fails; pytest comes last, so the closing lines are its own.
set -uo pipefail
# Many processes are begun here, of which each would compile anew what it imports.
unset PYTHONDONTWRITEBYTECODE
cd "$(dirname "$0")/.."

# shellcheck source=tools/saying.sh
. tools/saying.sh
# shellcheck source=tools/scratch.sh
. tools/scratch.sh

bin=.venv/bin
logs=$(mktemp -d)
scratch=$(scratch tests)
chmod 711 "$scratch" # programs that run as nobody are put there too
export TMPDIR=$scratch
begun=() # the servers that this run started, and stops
trap 'rm -rf "$logs" "$scratch"; for kind in ${begun[@]+"${begun[@]}"}; do "tools/servers/$kind.sh" down; done' EXIT
status=0

gate() { # gate NAME COMMAND…
    local name=$1
    shift
    if "$@" >"$logs/$name" 2>&1 </dev/null; then
        styled 32 ok
        printf '      %s\n' "$name"
    else
        status=1
        styled 31 failed
        printf '  %s\n' "$name"
        sed 's/^/    /' "$logs/$name"
    fi
}

gates() {
    gate format "$bin/ruff" format --check .
    gate lint "$bin/ruff" check .
    gate imports "$bin/lint-imports" --no-logo
    gate types "$bin/mypy"
}

serve() { # starts what is not up yet; the tests of a server that cannot start here are skipped
    local kind
    for kind in postgres neo4j; do
        if "tools/servers/$kind.sh" answers; then continue; fi
        if "tools/servers/$kind.sh" up; then
            begun+=("$kind")
        else
            echo "Tests that need $kind are skipped."
        fi
    done
}

# Three lanes at once, since much of what is tested is waited for: servers, processes that are killed,
# a browser, commands in processes of their own. One lane alone knows the servers, so the lanes share
# nothing; the others give way to it, for it counts how soon a server that was killed is there again.
# What drives a browser has a process to itself: its library looks through all that is loaded at every
# call. The commands come behind it, and what is said of the house itself, so that all lanes are as long.
lanes() {
    local served=(tests/contract tests/fault tests/smoke tests/flow/test_cli_neo4j.py tests/flow/test_access_neo4j.py)
    local commands=(tests/house tests/flow/test_dialogues.py) path first second
    for path in tests/flow/test_cli_*.py; do
        [ "$path" = tests/flow/test_cli_neo4j.py ] || commands+=("$path")
    done
    tools/servers.sh run "$bin/pytest" "${served[@]}" -o cache_dir=.pytest_cache/served \
        >"$logs/served" 2>&1 </dev/null &
    first=$!
    seen "${commands[@]}" >"$logs/seen" 2>&1 </dev/null &
    second=$!
    gates
    nice -n 3 "$bin/pytest" tests "${served[@]/#/--ignore=}" "${commands[@]/#/--ignore=}" --ignore=tests/e2e \
        </dev/null || status=1
    told "$first" served
    told "$second" seen
}

seen() { # seen TESTS…: what a browser shows, then what commands do
    local outcome=0
    nice -n 3 "$bin/pytest" tests/e2e -o cache_dir=.pytest_cache/browser || outcome=1
    nice -n 4 "$bin/pytest" "$@" -o cache_dir=.pytest_cache/commands || outcome=1
    return "$outcome"
}

told() { # told PROCESS LOG: shows what a lane says until it ends, and takes over how it ended
    tail -n +1 -f --pid="$1" "$logs/$2"
    wait "$1" || status=1
}

case "${1:?quick or all}" in
quick)
    gates
    "$bin/pytest" tests/house tests/unit -m "not slow and not chaos" </dev/null || status=1
    ;;
all)
    serve
    lanes
    ;;
esac
exit "$status"
