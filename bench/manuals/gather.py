"""Write the documents of manuals.yaml that are on this machine into a folder, as text.

    python bench/manuals/gather.py FOLDER [--site FOLDER]

Each becomes FOLDER/ID.txt, or ID.md where it is Markdown or HTML; those that are not here are
printed and left out. --site names a further folder in which Python packages are installed.
"""

import argparse
import gzip
import importlib.metadata
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

HERE = Path(__file__).parent
MANUALS = HERE / "manuals.yaml"
BLOCKS = frozenset(
    "address article blockquote body caption dd details div dl dt figure footer form h1 h2 h3 h4 "
    "h5 h6 header hr html li main ol p pre section table tbody thead title tr ul".split()
)
SILENT = frozenset(("head", "nav", "script", "style"))


@dataclass(frozen=True, slots=True)
class Manual:
    """One document: where it is, what package brings it, and to which part it belongs."""

    id: str
    path: str
    package: str
    title: str
    part: str
    version: str = ""
    """The version of the package that the questions were written from."""
    lang: str = "en"
    pypi: bool = False
    """Whether the package is a Python distribution (its path is then relative to its metadata)."""
    first: int = 1
    """The first line of the rendered text that is taken (`from` in the list)."""
    last: int | None = None
    """The last one that is taken (`to` in the list), or None for all."""

    @property
    def suffix(self) -> str:
        """The suffix of the file that is written."""
        markdown = (".md", ".html", "METADATA")
        return ".md" if self.path.removesuffix(".gz").endswith(markdown) else ".txt"


class Plain(HTMLParser):
    """A web page as plain text: one line a block, `- ` before an item, ` | ` between cells."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.silent = 0
        self.kept = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A block begins a line."""
        self.silent += tag in SILENT
        self.kept += tag == "pre"
        if (tag in BLOCKS or tag == "br") and self.parts[-1:] != ["- "]:
            self.parts.append("\n")
        if re.fullmatch("h[1-6]", tag):
            self.parts.append("\n" + "#" * int(tag[1]) + " ")
        if tag == "li":
            self.parts.append("- ")
        if tag in ("td", "th") and self.parts and self.parts[-1] != "\n":
            self.parts.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        """A block ends its line."""
        self.silent -= tag in SILENT
        self.kept -= tag == "pre"
        if tag in BLOCKS:
            self.parts.append("\n\n" if tag in ("p", "pre", "table") else "\n")

    def handle_data(self, data: str) -> None:
        """Words, their white space collapsed outside of preformatted text."""
        if not self.silent:
            text = data if self.kept else re.sub(r"\s+", " ", data)
            if not self.kept and (not self.parts or self.parts[-1].endswith(("\n", " "))):
                text = text.lstrip()
            if text:
                self.parts.append(text)

    @classmethod
    def of(cls, page: str) -> str:
        """The text of `page`."""
        plain = cls()
        plain.feed(page)
        lines = (line.rstrip() for line in "".join(plain.parts).split("\n"))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def manuals() -> list[Manual]:
    """The documents of the list; each line of it is `- ` and one JSON object."""
    found = []
    for line in MANUALS.read_text(encoding="utf-8").splitlines():
        if line.startswith("- "):
            entry = json.loads(line[2:])
            entry["first"], entry["last"] = entry.pop("from", 1), entry.pop("to", None)
            found.append(Manual(**entry))
    return found


def rendered(path: Path) -> str:
    """The file at `path` as plain text: unpacked, and a manual page or a web page rendered."""
    if re.search(r"/man/(\w+/)?man\d/", str(path)):
        environment = os.environ | {"MANWIDTH": "80", "LC_ALL": "C.UTF-8"}
        command = ["man", "--nh", "--nj", "-P", "cat", "-l", str(path)]
        shown = subprocess.run(command, env=environment, capture_output=True, check=True)
        return re.sub("\x1b\\[[0-9;]*m|.\x08", "", shown.stdout.decode())
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    page = path.name.removesuffix(".gz").endswith(".html")
    charset = re.search(rb'charset="?([\w-]+)', raw[:2000]) if page else None
    encoding = charset[1].decode() if charset else "utf-8"
    text = raw.decode(encoding, errors="replace").replace("\r\n", "\n").replace("\f", "")
    return Plain.of(text) if page else text


def text_of(manual: Manual, site: list[str]) -> str | None:
    """The text of `manual`, its lines from `first` to `last`; None where it is not here."""
    if manual.pypi:
        places = site or sys.path
        found = importlib.metadata.distributions(name=manual.package, path=places)
        distribution = next(iter(found), None)
        text = distribution and distribution.read_text(manual.path)
        if text and manual.path == "METADATA":
            text = text.partition("\n\n")[2]
    else:
        path = Path(manual.path)
        text = rendered(path) if path.is_file() else None
    if not text:
        return None
    return "\n".join(text.splitlines()[manual.first - 1 : manual.last]) + "\n"


def gathered(site: list[str]) -> dict[str, str]:
    """The text of each document that is on this machine, by its id."""
    found = {}
    for manual in manuals():
        text = text_of(manual, []) or (text_of(manual, site) if site else None)
        if text is not None:
            found[manual.id] = text
    return found


def gather(folder: Path, site: list[str]) -> list[str]:
    """Write the documents into `folder`; return the ids of those that are absent."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = gathered(site)
    for manual in manuals():
        if manual.id in texts:
            name = manual.id + manual.suffix
            (folder / name).write_text(texts[manual.id], encoding="utf-8")
    return [manual.id for manual in manuals() if manual.id not in texts]


def main() -> None:
    """Gather into the folder that is named, and print what is absent."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--site", action="append", default=[])
    options = parser.parse_args()
    absent = gather(options.folder, options.site)
    print(f"{len(manuals()) - len(absent)} written, {len(absent)} absent: {', '.join(absent)}")


if __name__ == "__main__":
    main()
