# Where tests and their servers write, to be sourced: some thousand small commits wait for the disk
# one after the other, so it is memory where there is plenty of it.

SCRATCH_MEMORY=${SCRATCH_MEMORY:-/dev/shm}
SCRATCH_NEEDS=$((6 * 1024 * 1024)) # KiB that have to be free, of the folder and of the machine

scratch() { # scratch NAME: makes a folder of that name, in memory or else where temporary files are
    local room spare parent=${TMPDIR:-/tmp}
    room=$(df --output=avail -k "$SCRATCH_MEMORY" 2>/dev/null | tail -n 1 || echo 0)
    spare=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo 2>/dev/null || echo 0)
    if [ "${room:-0}" -gt "$SCRATCH_NEEDS" ] && [ "${spare:-0}" -gt "$SCRATCH_NEEDS" ] &&
        [ -w "$SCRATCH_MEMORY" ]; then
        parent=$SCRATCH_MEMORY
    fi
    mktemp -d "$parent/weft-$1.XXXXXX"
}
