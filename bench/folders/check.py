"""Check the folders: every unit stands on one line of its file, every answer in its unit.

Run with `python3 bench/folders/check.py`. Prints one line of counts a folder and,
where something is wrong, names the question and what is wrong, and ends with 1.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
KINDS = set("fact who when howmuch howto why yesno define list condition row compare".split())
COMMON = set(
    "about after also and any are because been before but can could did does doing don for from "
    "get got had has have her his how into its just let like may might much must need not off "
    "once one only our out over own she should some than that the their them then there these "
    "they this too under until very want was were what when where which while who whom whose "
    "why will with would you your".split()
)
FIELDS = {"id", "question", "file", "answers", "unit", "kind"}
DOCUMENTS = (".md", ".txt")
# Answered questions, near misses, and how many answered ones may share the unit's words at most.
SIZES = {(33, 12): 11, (60, 30): 20}


def halves() -> dict[str, str]:
    """The folders named in folders.yaml, each with `teach` or `keep`."""
    lines = (HERE / "folders.yaml").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("#")[0].split(":") for line in lines if line.split("#")[0].strip())
    return {name.strip(): half.strip() for name, half in pairs}


def content_words(text: str) -> set[str]:
    """The words that carry the meaning, cut to a stem: five letters, or two syllables of Korean."""
    latin = {w[:5] for w in re.findall(r"[a-z0-9]{3,}", text.lower()) if w not in COMMON}
    return latin | {w[:2] for w in re.findall(r"[가-힣]{2,}", text)}


def shares_words(question: str, unit: str) -> bool:
    """Whether half or more of the question's content words stand in the unit."""
    asked = content_words(question)
    return 2 * len(asked & content_words(unit)) >= len(asked)


def stands(folder: Path, file: str, unit: str) -> bool:
    """Whether the unit is on one line of the file; a table row has to be the whole line."""
    path = folder / file
    if not unit or not path.is_file():
        return False
    lines = path.read_text(encoding="utf-8").splitlines()
    if unit.startswith("|"):
        return unit in (line.strip() for line in lines)
    return any(unit in line for line in lines)


def wrongs(folder: Path, row: dict) -> Iterator[str]:
    """What is wrong with one question."""
    if missing := FIELDS - row.keys():
        yield f"has no {', '.join(sorted(missing))}"
        return
    if row["kind"] not in KINDS:
        yield f"kind {row['kind']!r} is not one of the kinds"
    if not row["question"].strip():
        yield "the question is empty"
    yield from wrongs_of_answer(folder, row) if row["file"] else wrongs_of_near_miss(folder, row)


def wrongs_of_near_miss(folder: Path, row: dict) -> Iterator[str]:
    """What is wrong with a question that the folder does not answer."""
    if row["answers"] or row["unit"] or "also" in row:
        yield "has an answer but no file"
    if not (folder / row.get("near", "?")).is_file():
        yield f"near file {row.get('near')!r} does not exist"


def wrongs_of_answer(folder: Path, row: dict) -> Iterator[str]:
    """What is wrong with where an answer is said to stand."""
    if "near" in row:
        yield "has a file and a near file"
    if not row["answers"]:
        yield "has a file but no answer"
    if not stands(folder, row["file"], row["unit"]):
        yield f"unit is not on one line of {row['file']}: {row['unit']!r}"
    for answer in row["answers"]:
        if not answer or answer not in row["unit"]:
            yield f"answer {answer!r} is not in the unit"
    for place in row.get("also", []):
        if not stands(folder, place["file"], place["unit"]):
            yield f"other place is not on one line of {place['file']}: {place['unit']!r}"


def check(folder: Path, seen: set[str]) -> list[str]:
    """Check one folder, print its counts, and return what is wrong with it."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    bad = [f"{row.get('id')}: {wrong}" for row in rows for wrong in wrongs(folder, row)]
    questions = [row.get("question") for row in rows]
    bad += [f"{folder.name}: asked twice: {q}" for q in set(questions) if questions.count(q) > 1]
    for row in rows:
        if row.get("id") in seen or not str(row.get("id")).startswith(f"{folder.name}-"):
            bad.append(f"{row.get('id')}: the id is not unique or not of this folder")
        seen.add(str(row.get("id")))
    files = [path for path in sorted(folder.iterdir()) if path.suffix in DOCUMENTS]
    words = {path.name: len(path.read_text(encoding="utf-8").split()) for path in files}
    bad += [f"{folder.name}/{n}: {w} words" for n, w in words.items() if not 250 <= w <= 700]
    answerable = [row for row in rows if row.get("file")]
    near = len(rows) - len(answerable)
    shared = sum(shares_words(row["question"], row["unit"]) for row in answerable)
    if not 6 <= len(files) <= 12:
        bad.append(f"{folder.name}: {len(files)} files")
    most = SIZES.get((len(answerable), near))
    if most is None:
        bad.append(f"{folder.name}: {len(answerable)} answerable and {near} near misses")
    elif shared > most:
        bad.append(f"{folder.name}: {shared} questions share their words with the unit")
    print(
        f"{folder.name:<12} files {len(files):>2}  words {sum(words.values()):>5}  "
        f"answerable {len(answerable)}  near misses {near}  sharing words {shared:>2}"
    )
    return bad


def main() -> int:
    """Check every folder named in folders.yaml; 1 where anything is wrong."""
    named = halves()
    present = {path.parent.name for path in HERE.glob("*/*.*") if path.suffix in DOCUMENTS}
    asked = {path.parent.name for path in HERE.glob("*/questions.jsonl")}
    bad = [f"{name}: in folders.yaml or on disk, not in both" for name in named.keys() ^ present]
    bad += [f"{name}: has no questions.jsonl" for name in present - asked]
    bad += [f"{n}: neither teach nor keep" for n, h in named.items() if h not in ("teach", "keep")]
    seen: set[str] = set()
    for name in sorted(named.keys() & present & asked):
        bad += check(HERE / name, seen)
    teach = sum(half == "teach" for half in named.values())
    print(f"{len(named)} folders: {teach} teach, {len(named) - teach} keep; {len(seen)} questions")
    for wrong in sorted(bad):
        print(wrong, file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
