"""The inbox: names that are taken, labels, records written anew."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.domain.errors import BadInput, NotFound
from weft.domain.record import Record
from weft.ingest.sources.inbox import (
    HandedRecord,
    Inbox,
    inbox_of,
    record_file,
    refuse_own,
    texts_of,
)
from weft.ingest.sources.labels import Label, label_path, labelled, read_label, write_label
from weft.platform.identity import local_owner

RECORD = HandedRecord(id="a/1", content="Text.", metadata={"team": "north"}, uri="x:1")


@pytest.mark.parametrize(
    "name",
    [
        *["", ".", "/etc/x", "../x", "a/../../x", ".hidden", "a/.weft/x.json", "_records/x"],
        *["a\nb", "x/weft.acl.yaml", "a\\b", "node_modules/x.md", "/".join(["d"] * 17), "n" * 121],
    ],
)
def test_a_name_that_leads_out_or_means_something_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput):
        Inbox(path=tmp_path / "inbox").place(name)


@given(name=st.text(min_size=1, max_size=40))
def test_whatever_is_taken_lies_inside(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    root = tmp_path_factory.getbasetemp() / "inside"
    try:
        place = Inbox(path=root).place(name)
    except (BadInput, UnicodeEncodeError):
        return
    assert place.is_relative_to(root)
    assert ".." not in place.parts


@given(one=st.text(min_size=1, max_size=200), two=st.text(min_size=1, max_size=200))
def test_two_ids_have_two_files(one: str, two: str) -> None:
    assert (record_file(one) == record_file(two)) == (one == two)
    assert "/" not in record_file(one)


def test_a_file_comes_with_its_label_and_goes_with_it(tmp_path: Path) -> None:
    inbox = Inbox(path=tmp_path / "inbox")
    draft = tmp_path / "draft"
    draft.write_text("hello")
    label = Label(title="T", acl=frozenset({"group:a"}), metadata={"x": 1})
    assert inbox.take("a/b.md", draft=draft, label=label) == "a/b.md"
    file = inbox.path / "a" / "b.md"
    assert read_label(file) == label
    inbox.change("a/b.md", acl=frozenset({"user:u"}), metadata=None, title=None)
    changed = read_label(file)
    assert changed is not None
    assert (changed.acl, changed.metadata, changed.title) == (frozenset({"user:u"}), {"x": 1}, "T")
    inbox.remove("a/b.md")
    assert not file.exists()
    assert not label_path(file).exists()
    with pytest.raises(NotFound):
        inbox.remove("a/b.md")


def test_a_record_is_changed_in_part(tmp_path: Path) -> None:
    inbox = Inbox(path=tmp_path)
    relative = inbox.put(RECORD)
    inbox.change(relative, acl=frozenset({"group:a"}), metadata=None, title="New")
    said = json.loads((tmp_path / relative).read_text())
    assert said == {
        "id": "a/1",
        "content": "Text.",
        "title": "New",
        "uri": "x:1",
        "team": "north",
        "acl": ["group:a"],
    }


@pytest.mark.parametrize("key", ["acl", "ACL", " id ", "content", "category"])
def test_metadata_cannot_say_what_has_a_meaning_of_its_own(tmp_path: Path, key: str) -> None:
    with pytest.raises(BadInput, match="metadata"):
        Inbox(path=tmp_path).put(HandedRecord(id="x", content="y", metadata={key: "z"}))


def test_a_label_describes_a_record_but_not_its_fragment(tmp_path: Path) -> None:
    label = Label(title="T", uri="x:1", metadata={"a": 2})
    whole = labelled(Record(content="c", title="own", metadata={"a": 1, "b": 1}), label)
    assert whole.title == "T"
    assert whole.metadata == {"a": 2, "b": 1, "uri": "x:1"}
    assert labelled(Record(content="c", title="own", fragment="7"), label).title == "own"
    assert labelled(whole, None) == whole


def test_a_label_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "x.md"
    write_label(file, Label(title="T"))
    for bad in ("[]", "{", '{"acl": "x"}', '{"acl": ["ann"]}'):
        label_path(file).write_text(bad)
        with pytest.raises(BadInput):
            read_label(file)
    write_label(file, Label())
    assert read_label(file) is None


OWN = (
    *("token", "records.db", "blobs/ab", "kb/x.db", "inbox/t/other/inbox", "inbox", "texts/other"),
    *("checkpoints.db", "audit.key.9f5aa0bc", "signed_out/x", "chat-session"),
)


@pytest.mark.parametrize("name", OWN)
def test_what_is_wefts_own_is_no_source(tmp_path: Path, name: str) -> None:
    owner = local_owner()
    with pytest.raises(BadInput, match="Weft's own"):
        refuse_own(tmp_path / name, home=tmp_path, scope=owner, base="base")
    handed = (inbox_of(tmp_path, owner, "base").path, texts_of(tmp_path, "base"))
    for allowed in (tmp_path, tmp_path / "notes" / "kb", *handed, tmp_path.parent / "token"):
        refuse_own(allowed, home=tmp_path, scope=owner, base="base")


def test_whom_a_file_or_record_names_is_told(tmp_path: Path) -> None:
    inbox, draft, staff = Inbox(path=tmp_path / "inbox"), tmp_path / "d", frozenset({"group:staff"})
    draft.write_text("hello")
    assert inbox.readers("a.md") is None
    assert inbox.readers(inbox.put(RECORD)) is None
    assert inbox.readers(inbox.take("a.md", draft=draft, label=Label(acl=staff))) == staff
    assert inbox.readers(inbox.put(replace(RECORD, acl=staff))) == staff
    assert not inbox.is_readable("a.md", frozenset({"group:board"}))
