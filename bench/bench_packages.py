"""Search on documents that nobody wrote for it: those of the installed Python packages.

`bench_packages.py`: reads what `make demo` gathers, asks ten questions, and prints which passage
came first, and at which place the first passage stands that says what was asked.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from weft.sdk.weft import Weft

RUN = Path(__file__).resolve().parents[1] / ".run" / "demo"


@dataclass(frozen=True, slots=True)
class Look:
    """A question, the folder of the package that answers it, and words of the answering passage."""

    question: str
    package: str
    says: str


LOOKS = (
    Look("Which package finds the publication date of a web page?", "htmldate", "publication date"),
    Look("Which package extracts the main text of a web page?", "trafilatura", "gather text"),
    Look("Where do certifi's root certificates come from?", "certifi", "mozilla"),
    Look("Which algorithms does PyStemmer give access to?", "PyStemmer", "stemming algorithms"),
    Look("What is SQLAlchemy's unit of work for?", "SQLAlchemy", "unit of work"),
    Look("Is httpx2 a continuation of another project?", "httpx2", "is a continuation"),
    Look("Under which licence is NumPy published?", "numpy", "bsd-3-clause"),
    Look("Which web server speaks ASGI for Python?", "uvicorn", "asgi web server"),
    Look("What does sniffio tell?", "sniffio", "which async library"),
    Look("Who wrote the first version of Pygments?", "Pygments", "georg brandl"),
)
_SHOWN = 90


def main() -> int:
    """Ask, print a line a question, and return how many found nothing within three passages."""
    if not (RUN / "documents").is_dir():
        print("There are no documents yet: run 'make demo' first.", file=sys.stderr)
        return 2
    missed = 0
    with Weft.open(RUN / "documents", home=RUN / "home") as weft:
        weft.sync()
        for look in LOOKS:
            found = weft.search(look.question)
            places = [
                place
                for place, evidence in enumerate(found, start=1)
                if f"/{look.package}/" in evidence.uri and look.says in evidence.text.casefold()
            ]
            missed += not places or places[0] > 3
            first = " ".join(found[0].text.split())[:_SHOWN]
            print(f"{places[0] if places else '-':>2}  {look.question}\n      {first}")
    print(f"{len(LOOKS) - missed} of {len(LOOKS)} answered within the first three passages")
    return missed


if __name__ == "__main__":
    sys.exit(main())
