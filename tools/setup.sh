#!/usr/bin/env bash
# Make .venv and install hashed locks into it: tools/setup.sh runtime|dev, or extras NAME…
# PYTHON chooses the interpreter; without it the first one that is new enough is taken.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv
oldest="3.11"

# shellcheck source=tools/saying.sh
. tools/saying.sh

is_new_enough() { "$1" -c "import sys; sys.exit(sys.version_info < (${oldest/./, }))" 2>/dev/null; }
has_venv_module() { "$1" -c "import ensurepip, venv" 2>/dev/null; }

# Sets python to the first interpreter that is new enough and can make an environment.
find_python() {
    for python in ${PYTHON:-python3.12 python3.11 python3.13 python3.14 python3 /usr/bin/python3}; do
        if is_new_enough "$python" && has_venv_module "$python"; then
            return 0
        fi
    done
    return 1
}

# Installs what a bare Debian or Ubuntu lacks: there, Python comes without its venv module.
install_python() {
    if [ -n "${PYTHON:-}" ]; then
        fail "PYTHON=$PYTHON is not a Python $oldest or newer with its venv module."
    fi
    if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
        fail "Python $oldest or newer with its venv module is needed." \
            "On Debian or Ubuntu:  sudo apt-get install python3 python3-venv" \
            "Elsewhere install Python $oldest or newer, then:  make setup PYTHON=/path/to/python"
    fi
    export DEBIAN_FRONTEND=noninteractive
    watched "Fetching the lists of packages" 0 apt-get update
    # What is already there is left at its version.
    watched "Installing python3 and python3-venv" 0 \
        apt-get install -y --no-install-recommends --no-upgrade python3 python3-venv ca-certificates
}

prepare_venv() {
    if [ -x "$venv/bin/python" ] && is_new_enough "$venv/bin/python" &&
        "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
        return
    fi
    if ! find_python; then
        install_python
        find_python || fail "No usable Python $oldest or newer was found after the installation."
    fi
    rm -rf "$venv"
    watched "Making $venv with $("$python" --version)" 0 "$python" -m venv "$venv"
    # Older versions of venv bring setuptools along, which nothing here needs.
    "$venv/bin/python" -m pip uninstall --quiet --yes setuptools 2>/dev/null || true
}

# Hashes pin every file; --no-deps keeps out what a package asks for and the lock leaves out.
# Bytecode is written by tools/warm.py, only for what is used: compiling everything costs 70 MB.
pip_install() { # pip_install WHAT TOTAL ARGUMENTS…
    local what=$1 total=$2
    shift 2
    watched "$what" "$total" "$venv/bin/python" -m pip install --disable-pip-version-check \
        --no-input --no-deps --no-compile --retries 5 --progress-bar off --no-color "$@"
}

# pyarrow reads Parquet here and nothing else. What its parts for servers, for S3 and for compilers
# leave behind is half of a hundred megabytes; nothing that stays is linked against it.
drop_unused() {
    local pyarrow
    for pyarrow in "$venv"/lib/python3*/site-packages/pyarrow; do
        rm -rf "$pyarrow"/include "$pyarrow"/tests "$pyarrow"/_flight.* "$pyarrow"/_s3fs.* \
            "$pyarrow"/libarrow_flight.* "$pyarrow"/libarrow_python_flight.* "$pyarrow"/libarrow_s3.*
    done
}

install_lock() {
    local lock=locks/$1.txt count
    count=$(grep -c '^[a-z]' "$lock")
    pip_install "Installing $lock (at most $count packages)" "$count" --require-hashes -r "$lock"
}

main() {
    prepare_venv
    case "$1" in
    runtime)
        install_lock runtime
        install_lock build
        drop_unused
        pip_install "Installing weft" 0 --no-build-isolation --editable .
        watched "Compiling what is used" 0 "$venv/bin/python" tools/warm.py
        ;;
    dev)
        install_lock dev
        # The tests run on every database whose server is there.
        install_lock postgres
        install_lock neo4j
        install_lock langgraph
        ;;
    extras)
        for extra in "${@:2}"; do
            [ -f "locks/$extra.txt" ] || fail "There is no extra '$extra'; there are: langgraph neo4j postgres"
            install_lock "$extra"
        done
        ;;
    *) fail "unknown part: $1" ;;
    esac
    touch "$venv/.$1-stamp"
    say "Ready in $SECONDS seconds ($(du -sm "$venv" | cut -f1) MB in $venv)"
}

main "${@:?runtime, dev or extras}"
