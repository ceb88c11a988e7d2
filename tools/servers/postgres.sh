#!/usr/bin/env bash
# A private PostgreSQL on loopback: tools/servers/postgres.sh up|down|answers
# up starts it and writes its address into .run/postgres.env; down stops it and removes all that it
# kept; answers succeeds when it is up.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec </dev/null

run=$(pwd -P)/.run
addresses=$run/postgres.env
place=$run/postgres.place # names the folder of the cluster that up made
owner=$(id -un postgres 2>/dev/null || echo nobody)

# shellcheck source=tools/saying.sh
. tools/saying.sh

# Sets programs to the folder of the server's programs; Debian keeps them off the path.
find_programs() {
    local program
    programs=
    for program in "$(command -v initdb || true)" \
        $(printf '%s\n' /usr/lib/postgresql/*/bin/initdb | sort -V); do # the newest wins
        if [ -x "$program" ]; then programs=${program%/*}; fi
    done
    [ -n "$programs" ] || fail "PostgreSQL's server programs are needed." \
        "On Debian or Ubuntu:  sudo apt-get install postgresql"
}

# PostgreSQL refuses to be root.
as_owner() {
    if [ "$(id -u)" = 0 ]; then (cd / && runuser -u "$owner" -- "$@"); else "$@"; fi
}

# Makes an empty folder that the owner of the server can enter, and says where it is.
make_folder() {
    local folder parent
    for parent in "$run" "${TMPDIR:-/tmp}" /tmp; do # the checkout may lie where only root can go
        folder=$(mktemp -d "$parent/postgres.XXXXXX")
        if [ "$(id -u)" = 0 ]; then chown "$owner" "$folder"; fi
        if as_owner test -w "$folder"; then
            echo "$folder"
            return
        fi
        rmdir "$folder"
    done
    return 1
}

answers() {
    [ -f "$place" ] && [ -f "$addresses" ] || return 1
    local url
    url=$(sed -n 's/^WEFT_TEST_DATABASE_URL=//p' "$addresses")
    find_programs
    # Whatever took over the port since then does not keep its data there.
    [ "$(PGCONNECT_TIMEOUT=5 "$programs/psql" -XAtqc 'SHOW data_directory' "$url" 2>/dev/null)" = \
        "$(cat "$place")/data" ]
}

initialise() { # initialise FOLDER PASSWORD
    as_owner touch "$1/log"
    as_owner tee "$1/password" <<<"$2" >/dev/null
    as_owner "$programs/initdb" --pgdata "$1/data" --username weft --pwfile "$1/password" \
        --auth scram-sha-256 --encoding UTF8 --locale C --no-sync >>"$1/log" 2>&1
}

start() { # start FOLDER PASSWORD
    local options port
    for _ in 1 2 3 4 5; do # a port that is taken costs an attempt
        port=$((20000 + RANDOM % 12000))
        (umask 077 && echo "WEFT_TEST_DATABASE_URL=postgresql://weft:$2@127.0.0.1:$port/postgres" \
            >"$addresses")
        options="-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        if as_owner "$programs/pg_ctl" start --pgdata "$1/data" --log "$1/log" --wait --silent \
            -o "$options" >>"$1/log" 2>&1; then
            say "PostgreSQL is up on 127.0.0.1:$port (tools/servers.sh down stops it)"
            return
        fi
    done
    return 1
}

up() {
    if answers; then
        say "PostgreSQL is up already"
        return
    fi
    down
    find_programs
    mkdir -p "$run"
    local folder password
    folder=$(make_folder) || fail "The user $owner can write to no folder here."
    echo "$folder" >"$place"
    password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    if ! { initialise "$folder" "$password" && start "$folder" "$password"; }; then
        tail -n 20 "$folder/log" >&2
        down
        fail "PostgreSQL did not start; its last words are above."
    fi
}

down() {
    [ -f "$place" ] || return 0
    local folder
    folder=$(cat "$place")
    if answers; then
        as_owner "$programs/pg_ctl" stop --pgdata "$folder/data" --mode fast --wait --silent
        say "PostgreSQL is down"
    fi
    # One that runs and does not answer ends by itself within a minute of losing its files.
    rm -rf "$folder" "$addresses" "$place"
}

case "${1:-}" in
up | down | answers) "$1" ;;
*) fail "usage: tools/servers/postgres.sh up|down|answers" ;;
esac
