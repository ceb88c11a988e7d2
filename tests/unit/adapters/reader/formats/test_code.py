"""Code comes apart at its definitions, comments above them included, in several languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.adapters.reader.samples import only, shape

GO = """package main

import "fmt"

// Pump moves water.
type Pump struct {
\tRate int
}

// Start turns it on.
func (p *Pump) Start() error {
\tif p.Rate == 0 {
\t\treturn fmt.Errorf("no rate")
\t}
\treturn nil
}
"""
TYPESCRIPT = """import { x } from "y";

export interface Valve {
  id: string;
}

export class Harbour {
  private valves: Valve[] = [];

  /** Opens a valve. */
  open(id: string): void {
    if (id) {
      this.valves.push({ id });
    }
  }

  async close(id: string): Promise<void> {
    return;
  }
}
"""
C = """#include <stdio.h>

/* adds two
 * numbers */
static int add(int a,
               int b)
{
    return a + b;
}

int main(void) { return add(1, 2); }
"""
RUBY = "class A\n  def b\n    1\n  end\n\n  def c; end\nend\n"
SQL = "CREATE TABLE pile (\n  id text\n);\n\n-- all of them\nSELECT * FROM pile;\n"


@pytest.mark.parametrize(
    ("name", "text", "starts"),
    [
        ("a.go", GO, ["package main", "// Pump moves", "// Start turns"]),
        (
            "a.ts",
            TYPESCRIPT,
            [
                "import {",
                "export interface",
                "export class",
                "/** Opens a valve. */\n  open(",
                "async close(",
            ],
        ),
        ("a.c", C, ["#include", "/* adds two\n * numbers */\nstatic int add", "int main(void)"]),
        ("a.sql", SQL, ["CREATE TABLE", "-- all of them\nSELECT"]),
        (
            "a.rb",
            "class A\n  def b\n    1\n  end\n\n  def c; end\nend\n",
            ["class A", "def b", "def c"],
        ),
    ],
)
def test_a_block_is_a_definition(tmp_path: Path, name: str, text: str, starts: list[str]) -> None:
    record = only(tmp_path, name, text)
    assert record.content == text
    blocks = shape(record)
    assert {kind for kind, _ in blocks} == {"code"}
    said = [words for _, words in blocks]
    assert len(said) == len(starts), said
    assert [words[: len(start)] for words, start in zip(said, starts, strict=True)] == starts


def test_a_line_without_end_takes_no_time(tmp_path: Path) -> None:
    line = "  f" + "(a)" * 200_000
    assert only(tmp_path, "a.js", line + "\n" + line).content.startswith("  f(a)")
