"""No content, whatever it is, makes the parsers do anything but answer."""

from __future__ import annotations

import json
import tempfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unit.adapters.reader.samples import pdf
from weft.adapters.reader.child import answer
from weft.adapters.reader.frames import LENGTH, OpenFile, packed
from weft.adapters.reader.limits import ReaderLimits
from weft.adapters.reader.reply import ReaderMessage
from weft.domain.ledger import FileStatus

NAMES = st.sampled_from(
    ["a.txt", "a.md", "a.html", "a.pdf", "a.csv", "a.tsv", "a.json", "a.jsonl", "a.py", "a", "a.x"]
)
SEEDS = [
    pdf(["One.", "Two."]),
    b"<html><title>x</title><body><p>a<table><tr><td>b</body>",
    b'id,text\n1,"a\n2,b"\n',
    b'{"a": [{"id": 1, "text": "x"}, {"id": "\\ud800"}]}',
    b'{"text": 1}\n[\n{"acl": ["x"]}\n',
    b"---\ntitle: [a\n---\n# h\n- i\n|r|\n```\n",
    b"A: b\nC: d\nE: f\n  g\n\nText\n====\n",
    "한국어 문서".encode("cp949"),
    b"@x\ndef f(:\nclass\n",
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Return one of the seeds with pieces taken out, doubled or put in."""
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        size = draw(st.integers(0, 20))
        data[at : at + size] = draw(st.one_of(st.binary(max_size=12), st.just(data[:size] * 2)))
    return bytes(data)


@pytest.mark.filterwarnings("ignore")
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(NAMES, st.one_of(st.binary(max_size=300), damaged(), st.text(max_size=200).map(str.encode)))
def test_noise_is_answered(name: str, data: bytes) -> None:
    with tempfile.TemporaryFile() as written:
        written.write(data)
        written.flush()
        file = OpenFile(handle=written.fileno(), name=name, stamp=(hash(data),))
        said = [
            ReaderMessage.model_validate_json(packed(message)[LENGTH.size :])
            for message in answer(file, limits=ReaderLimits())
        ]
    assert said[-1].status is not None
    assert [message.status for message in said[:-1]] == [None] * (len(said) - 1)
    records = [part.record() for message in said for part in message.records]
    assert bool(records) == (said[-1].status is FileStatus.READ)
    for record in records:
        at = 0
        for block in record.blocks:
            assert not record.content[at : block.start].strip()
            at = block.end
        assert not record.content[at:].strip()


@given(st.text())
def test_a_message_keeps_its_length(text: str) -> None:
    frame = packed({"text": text + "\ud800"})
    assert LENGTH.unpack(frame[: LENGTH.size])[0] == len(frame) - LENGTH.size
    assert json.loads(frame[LENGTH.size :])["text"] == text + "?"
