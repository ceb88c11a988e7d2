"""Bodies as they come in: whole, compressed, too large, broken, in whatever pieces."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.adapters.fetch.body import BadBody, Body, TooLarge

MOST = 4096


def taken(encoding: str, data: bytes, *, step: int, most: int = MOST) -> bytes:
    body = Body(encoding, most)
    for start in range(0, len(data), step):
        body.add(data[start : start + step])
    return body.whole()


@given(st.lists(st.binary(max_size=500), min_size=1, max_size=5), st.integers(1, 600))
def test_a_body_is_what_was_sent_in_whatever_pieces(parts: list[bytes], step: int) -> None:
    whole = b"".join(parts)
    packed = b"".join(gzip.compress(part) for part in parts)
    assert taken("", whole, step=step) == whole
    assert taken("gzip", packed, step=step) == whole


@given(st.integers(1, 300), st.integers(1, 600))
def test_one_byte_too_many_is_too_large(size: int, step: int) -> None:
    data = b"x" * size
    assert taken("gzip", gzip.compress(data), step=step, most=max(size, 400)) == data
    for encoding, sent in (("identity", data), ("gzip", gzip.compress(data))):
        with pytest.raises(TooLarge):
            taken(encoding, sent, step=step, most=size - 1)


def test_a_bomb_goes_off_in_no_more_memory_than_a_body_may_have() -> None:
    bomb = gzip.compress(bytes(200_000_000), 9)
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            taken("gzip", bomb, step=65536, most=1_000_000)
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_a_body_without_end_that_unpacks_to_nothing_is_too_large() -> None:
    nothing = zlib.compressobj(wbits=31)
    endless = nothing.compress(b"") + nothing.flush(zlib.Z_SYNC_FLUSH)
    endless += b"\x00\x00\x00\xff\xff" * MOST
    with pytest.raises(TooLarge):
        taken("gzip", endless, step=100)


@given(st.binary(min_size=1, max_size=300), st.data())
def test_a_cut_body_is_bad(whole: bytes, data: st.DataObject) -> None:
    packed = gzip.compress(whole)
    cut = data.draw(st.integers(1, len(packed) - 1))
    with pytest.raises(BadBody):
        taken("gzip", packed[:cut], step=64)


@pytest.mark.parametrize("sent", [b"plain", gzip.compress(b"a") + b"behind", b"\x1f\x8b\x00"])
def test_what_is_not_compressed_as_told_is_bad(sent: bytes) -> None:
    with pytest.raises(BadBody):
        taken("gzip", sent, step=64)


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip", "compress", "deflate", "x"])
def test_a_compression_that_was_not_asked_for_is_bad(encoding: str) -> None:
    with pytest.raises(BadBody):
        Body(encoding, MOST)


def test_no_body_is_empty_whatever_its_headers_say() -> None:
    assert Body("gzip", MOST).whole() == b""
