# Print the targets of a Makefile that carry a "##" comment, with it.
BEGIN { FS = ":.*## " }
/^[a-z][a-z-]*:.*## / { printf "  \033[1mmake %-16s\033[0m %s\n", $1, $2 }
