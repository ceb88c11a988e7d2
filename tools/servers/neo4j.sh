#!/usr/bin/env bash
# Real Neo4j servers on loopback, from their published jars:
#   tools/servers/neo4j.sh up|down|answers     the two that tests share
#   tools/servers/neo4j.sh runnable            tells whether a Java for them is there
#   tools/servers/neo4j.sh start FOLDER [VERSION]   one of its own in an empty folder, or once more
#   tools/servers/neo4j.sh stop FOLDER         stop that one; what it kept stays
# A community server holds one database, so two run: the long-term release first, then the newest
# one where a Java new enough for it is there, else the long-term release again. Addresses and
# passwords go into .run/neo4j.env, those of a server of its own into FOLDER/server.env.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec </dev/null

stable=5.26.30
newest=2026.08.1
run=$(pwd -P)/.run
addresses=$run/neo4j.env
jars=${XDG_CACHE_HOME:-$HOME/.cache}/weft/neo4j
ready_seconds=90

# shellcheck source=tools/saying.sh
. tools/saying.sh
# shellcheck source=tools/scratch.sh
. tools/scratch.sh

major_of() { # the major version of a java program, or nothing
    "$1" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1
}

# Prints the oldest Java whose major version lies between two: what a release was tested with.
find_java() { # find_java OLDEST NEWEST
    local program major best=
    local least=$(($2 + 1))
    for program in "${JAVA_HOME:+$JAVA_HOME/bin/java}" "$(command -v java || true)" \
        /usr/lib/jvm/*/bin/java /opt/*/bin/java "$HOME"/.sdkman/candidates/java/*/bin/java; do
        [ -x "$program" ] || continue
        major=$(major_of "$program")
        if [ -n "$major" ] && [ "$major" -ge "$1" ] && [ "$major" -lt "$least" ]; then
            best=$program least=$major
        fi
    done
    [ -n "$best" ] && echo "$best"
}

java_for() { # java_for VERSION
    case "$1" in
    5.*) find_java 17 21 ;;
    *) find_java 21 99 ;;
    esac
}

fetch() { # fetch VERSION: bring its jars into the cache, whole or not at all
    [ ! -d "$jars/$1" ] || return 0
    command -v mvn >/dev/null || fail "Maven is needed to fetch Neo4j's jars." \
        "On Debian or Ubuntu:  sudo apt-get install maven"
    mkdir -p "$jars"
    local draft
    draft=$(mktemp -d "$jars/draft.XXXXXX")
    if ! watched "Fetching Neo4j $1 (some 125 MB, once) into $jars" 0 \
        mvn -q -B --strict-checksums -f tools/servers/neo4j.pom.xml "-Dneo4j.version=$1" \
        dependency:copy-dependencies "-DoutputDirectory=$draft"; then
        rm -rf "$draft"
        fail "Neo4j $1 could not be fetched; Maven's last words are above."
    fi
    # Another process may have been first; then the draft is not needed.
    mv -T "$draft" "$jars/$1" 2>/dev/null || rm -rf "$draft"
}

command_of() { # command_of FOLDER CLASS ARGUMENTS…: one of the server's own commands
    local folder=$1 class=$2
    shift 2
    NEO4J_HOME=$folder NEO4J_CONF=$folder/conf JAVA_HOME=$(dirname "$(dirname "$java")") \
        "$java" -Xmx128m -XX:TieredStopAtLevel=1 -cp "$jars/$version/*" \
        "org.neo4j.server.startup.$class" "$@"
}

configure() { # configure FOLDER PORT
    cat >"$1/conf/neo4j.conf" <<END
server.bolt.listen_address=127.0.0.1:$2
server.bolt.advertised_address=127.0.0.1:$2
server.routing.listen_address=127.0.0.1:$(($2 + 1))
server.http.enabled=false
server.https.enabled=false
server.memory.heap.initial_size=512m
server.memory.heap.max_size=${NEO4J_HEAP:-768m}
server.memory.pagecache.size=128m
dbms.usage_report.enabled=false
db.tx_log.rotation.retention_policy=keep_none
server.jvm.additional=-XX:+UseSerialGC
server.jvm.additional=-XX:+ExitOnOutOfMemoryError
END
}

pid_of() { # the process that serves a folder, or nothing
    local pid
    pid=$(cat "$1/run/neo4j.pid" 2>/dev/null) || return 1
    grep -qz -- "$1" "/proc/$pid/cmdline" 2>/dev/null && echo "$pid"
}

port_of() { sed -n 's/^NEO4J_URI=.*:\([0-9]*\)$/\1/p' "$1/server.env"; }

is_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

is_up() { # is_up FOLDER
    [ -f "$1/server.env" ] && pid_of "$1" >/dev/null && is_open "$(port_of "$1")"
}

prepare() { # prepare FOLDER: the first start of a server, with a password of its own
    local folder=$1 password
    mkdir -p "$folder"/{conf,data,logs,run,plugins,import}
    chmod 700 "$folder"
    password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    configure "$folder" 1
    command_of "$folder" Neo4jAdminCommand dbms set-initial-password "$password" \
        >"$folder/logs/admin.log" 2>&1
    echo "$version" >"$folder/version"
    (umask 077 && printf '%s\n' "NEO4J_URI=" NEO4J_USER=neo4j "NEO4J_PASSWORD=$password" \
        "NEO4J_VERSION=$version" >"$folder/server.env")
}

launch() { # launch FOLDER PORT: succeeds once the server listens
    local folder=$1
    configure "$folder" "$2"
    sed -i "s|^NEO4J_URI=.*|NEO4J_URI=neo4j://127.0.0.1:$2|" "$folder/server.env"
    rm -f "$folder/run/neo4j.pid"
    : >"$folder/logs/neo4j.log"
    command_of "$folder" Neo4jCommand start >>"$folder/logs/start.log" 2>&1 || return 1
    local end=$((SECONDS + ready_seconds))
    while [ "$SECONDS" -lt "$end" ]; do
        if grep -q ' Started\.$' "$folder/logs/neo4j.log" && is_open "$2"; then return 0; fi
        pid_of "$folder" >/dev/null || return 1
        sleep 0.2
    done
    return 1
}

start() { # start FOLDER [VERSION]
    local folder=$1 port
    version=${2:-$(cat "$folder/version" 2>/dev/null || echo "$stable")}
    java=$(java_for "$version") || fail "Neo4j $version needs another Java." \
        "On Debian or Ubuntu:  sudo apt-get install openjdk-17-jre-headless (or 21)"
    if is_up "$folder"; then return 0; fi
    fetch "$version"
    if [ -f "$folder/server.env" ]; then # once more, where it was
        if launch "$folder" "$(port_of "$folder")"; then return 0; fi
    else
        prepare "$folder"
        for _ in 1 2 3; do # a port that is taken costs an attempt
            port=$((20000 + 2 * (RANDOM % 6000)))
            if launch "$folder" "$port"; then return 0; fi
        done
    fi
    tail -n 20 "$folder/logs/neo4j.log" "$folder/logs/start.log" >&2
    return 1
}

stop() { # stop FOLDER
    local pid
    pid=$(pid_of "$1") || return 0
    kill -CONT "$pid" 2>/dev/null || true
    kill -TERM "$pid" 2>/dev/null || true
    for _ in {1..200}; do
        if ! kill -0 "$pid" 2>/dev/null; then return 0; fi
        sleep 0.1
    done
    kill -KILL "$pid" 2>/dev/null || true
}

gather() { # the first server's names are plain, the others' numbered
    (umask 077 && : >"$addresses.draft")
    local number suffix
    for number in 1 2; do
        suffix=
        if [ "$number" -gt 1 ]; then suffix=_$number; fi
        sed "s/^\(NEO4J_[A-Z]*\)=/\1$suffix=/" "$run/neo4j-$number/server.env" >>"$addresses.draft"
    done
    mv "$addresses.draft" "$addresses"
}

up() {
    if answers; then
        say "Neo4j is up already"
        return
    fi
    mkdir -p "$run"
    local number version versions=("$stable" "$newest")
    if ! java_for "$newest" >/dev/null; then
        say "No Java 21 or newer is here: Neo4j $newest is left out, $stable runs twice"
        versions=("$stable" "$stable")
    fi
    for number in 1 2; do
        version=${versions[$number - 1]}
        # A server of another version cannot use what this one keeps.
        if [ "$(cat "$run/neo4j-$number/version" 2>/dev/null)" != "$version" ]; then
            remove "$number"
            mkdir "$run/neo4j-$number"
            ln -s "$(scratch neo4j)" "$run/neo4j-$number/data"
        fi
        start "$run/neo4j-$number" "$version" ||
            fail "Neo4j $version did not start; its last words are above."
        say "Neo4j $version is up on 127.0.0.1:$(port_of "$run/neo4j-$number")"
    done
    gather
}

remove() { # remove NUMBER: a server and all that it kept
    local folder=$run/neo4j-$1
    [ -d "$folder" ] || return 0
    if pid_of "$folder" >/dev/null; then
        stop "$folder"
        say "Neo4j $(cat "$folder/version") is down"
    fi
    rm -rf "$(readlink -f "$folder/data")" "$folder"
}

down() {
    remove 1
    remove 2
    rm -f "$addresses"
}

answers() { [ -f "$addresses" ] && is_up "$run/neo4j-1" && is_up "$run/neo4j-2"; }

runnable() { java_for "$stable" >/dev/null; }

case "${1:-}" in
up | down | answers | runnable) "$1" ;;
start | stop)
    [ $# -ge 2 ] || fail "usage: tools/servers/neo4j.sh $1 FOLDER"
    "$@"
    ;;
*) fail "usage: tools/servers/neo4j.sh up|down|answers|runnable|start FOLDER [VERSION]|stop FOLDER" ;;
esac
