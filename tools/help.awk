# Print the targets of a Makefile that carry a "##" comment, with it; -v bold=1 for a terminal.
BEGIN { FS = ":.*## "; if (bold) { on = "\033[1m"; off = "\033[0m" } }
/^[a-z][a-z-]*:.*## / { printf "  %smake %-16s%s %s\n", on, $1, off, $2 }
