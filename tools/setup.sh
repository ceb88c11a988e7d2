#!/usr/bin/env bash
# Make .venv and install hashed locks into it: tools/setup.sh runtime|dev
# PYTHON chooses the interpreter; without it the first one that is new enough is taken.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv
oldest="3.11"

say() { printf '\033[1m==>\033[0m %s\n' "$*"; }
fail() {
    printf 'weft: %s\n' "$@" >&2
    exit 1
}

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
    say "Installing python3 and python3-venv"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq </dev/null
    # What is already there is left at its version.
    apt-get install -y -qq --no-install-recommends --no-upgrade \
        python3 python3-venv ca-certificates </dev/null >/dev/null
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
    say "Making $venv with $("$python" --version)"
    rm -rf "$venv"
    "$python" -m venv "$venv"
    # Older versions of venv bring setuptools along, which nothing here needs.
    "$venv/bin/python" -m pip uninstall --quiet --yes setuptools 2>/dev/null || true
}

# Hashes pin every file; --no-deps keeps out what a package asks for and the lock leaves out.
# Bytecode is written by tools/warm.py, only for what is used: compiling everything costs 70 MB.
pip_install() {
    "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --quiet --no-deps \
        --no-compile --retries 5 "$@" </dev/null
}

install_lock() {
    say "Installing locks/$1.txt ($(grep -c '^[a-z]' "locks/$1.txt") packages)"
    pip_install --require-hashes -r "locks/$1.txt"
}

main() {
    prepare_venv
    case "$1" in
    runtime)
        install_lock runtime
        install_lock build
        say "Installing weft"
        pip_install --no-build-isolation --editable .
        "$venv/bin/python" tools/warm.py
        ;;
    dev)
        install_lock dev
        # The tests run on every database whose server is there.
        install_lock postgres
        install_lock neo4j
        ;;
    *) fail "unknown part: $1" ;;
    esac
    touch "$venv/.$1-stamp"
    say "Ready in $SECONDS s ($(du -sm "$venv" | cut -f1) MB in $venv)"
}

main "${1:?runtime or dev}"
