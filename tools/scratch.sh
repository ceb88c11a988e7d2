# Where tests and their servers write, to be sourced: some thousand small commits wait for the disk
# one after the other, so it is memory where there is plenty of it.

SCRATCH_MEMORY=${SCRATCH_MEMORY:-/dev/shm}
SCRATCH_NEEDS=$((6 * 1024 * 1024)) # KiB that have to be free, of the folder and of the machine

scratch() { # scratch NAME: makes a folder of that name, in memory or else where temporary files are
    local made room spare
    room=$(df --output=avail -k "$SCRATCH_MEMORY" 2>/dev/null | tail -n 1 || echo 0)
    spare=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo 2>/dev/null || echo 0)
    if [ "${room:-0}" -gt "$SCRATCH_NEEDS" ] && [ "${spare:-0}" -gt "$SCRATCH_NEEDS" ] &&
        made=$(mktemp -d "$SCRATCH_MEMORY/weft-$1.XXXXXX" 2>/dev/null); then
        if runs_programs "$made"; then
            echo "$made"
            return
        fi
        rmdir "$made"
    fi
    mktemp -d "${TMPDIR:-/tmp}/weft-$1.XXXXXX"
}

runs_programs() { # runs_programs FOLDER: some machines let no program of such a folder run
    local status=0
    printf '#!/bin/sh\n' >"$1/program"
    chmod +x "$1/program"
    "$1/program" 2>/dev/null || status=1
    rm -f "$1/program"
    return "$status"
}
