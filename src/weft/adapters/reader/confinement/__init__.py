"""What holds a parser process: no files, no programs, no network, nobody's rights."""
