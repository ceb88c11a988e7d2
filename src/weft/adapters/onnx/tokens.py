"""Text turned into the model's tokens, with their places in the text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from itertools import count
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from weft.domain.frozen import dataclass
from weft.platform.workspace import write_whole

MAX_TOKENS = 256
# The vocabulary of the tokenizer's file as a list, one token to a line.
VOCABULARY_NAME = "minilm-vocabulary.txt"
_VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
_UNKNOWN = "[UNK]"
_SPECIAL = ["[PAD]", _UNKNOWN, "[CLS]", "[SEP]", "[MASK]"]
_INSIDE = "##"
# Of the tokens, in characters without the mark.
_LONGEST = 18
# So many characters are read by tokenizers of their own: more than a question and what it is read
# with have, and less than what takes as long as the whole one takes to load.
_FEW = 4_000
_WINDOW = 32_768
_NORMALIZER = BertNormalizer(lowercase=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The tokens of one text as the model takes them.

    `ids` int64[n] with the special token at each end; `starts` int64[n - 2], the character at
    which each token between them begins, never falling.
    """

    ids: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]


class Wordpieces:
    """The model's tokenizer, without the padding and the limit of 128 that its file sets.

    Long texts go through it in windows that end at white space, where no token can cross: the
    tokens are the same, and the memory stays small.
    """

    def __init__(
        self, path: Path, *, vocabulary: Path | None = None, window: int = _WINDOW
    ) -> None:
        """Take the path of the tokenizer's JSON; `window` is in characters.

        `vocabulary` is where its list of tokens is kept, or will be: with it the first texts do
        not wait for a tokenizer of all tokens.
        """
        self._path = path
        self._list = vocabulary
        self._read = 0
        self._window = window

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        # Two threads at once load it twice, and keep the same.
        if self._vocabulary is not None:
            return _tokenizer_of(self._vocabulary.ids)
        made = Tokenizer.from_file(str(self._path))
        made.no_padding()
        made.no_truncation()
        if self._list is not None:
            with suppress(OSError):  # a cache that cannot be written costs time alone
                _write_list(made, self._list)
        return made

    @cached_property
    def _vocabulary(self) -> _Vocabulary | None:
        return None if self._list is None else _read_list(self._list)

    @cached_property
    def _ends_of_text(self) -> tuple[int, int]:
        return self._special("[CLS]"), self._special("[SEP]")

    def prepare(self) -> None:
        """Load the tokens, which takes as long as embedding a question does."""
        assert self._ends_of_text

    def encode(self, text: str) -> Tokens:
        """Return the first tokens of `text`, at most `MAX_TOKENS` with the special ones."""
        room = MAX_TOKENS - 2
        ids: list[int] = []
        starts: list[int] = []
        for begin, window in _windows(_encodable(text), self._window):
            piece = self._split(window)
            ids += piece.ids
            starts += [begin + start for start, _ in piece.offsets]
            if len(ids) >= room:
                break
        first, last = self._ends_of_text
        return Tokens(
            ids=np.array([first, *ids[:room], last], np.int64),
            starts=np.array(starts[:room], np.int64),
        )

    def ends(self, text: str) -> list[int]:
        """Return the end of every token of `text`, in order; several may end at one character."""
        return [
            begin + end
            for begin, window in _windows(_encodable(text), self._window)
            for _, end in self._split(window).offsets
        ]

    def _split(self, text: str) -> Encoding:
        """Return the tokens of a text; the first few texts need not wait for all that there are."""
        few = self._vocabulary if self._read < _FEW and len(text) < _FEW else None
        self._read += len(text)
        tokenizer = self._tokenizer if few is None else few.tokenizer(text)
        return tokenizer.encode(text, add_special_tokens=False)

    def _special(self, token: str) -> int:
        few = self._vocabulary
        found = self._tokenizer.token_to_id(token) if few is None else few.ids.get(token)
        assert found is not None, f"the tokenizer has no {token}"
        return found


class _Vocabulary:
    """All tokens by their ids, and a tokenizer of those alone that a text may have.

    The library takes 6 ms to make one of all tokens, twice that in a process that has just begun,
    and 0.1 to 0.3 ms to make one for a question or a sentence.
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        """Take the tokens in order of their ids."""
        self.ids = dict(zip(tokens, count()))

    def tokenizer(self, text: str) -> Tokenizer:
        """Return one that makes of this text what one of all tokens makes of it."""
        words = BertPreTokenizer().pre_tokenize_str(_NORMALIZER.normalize_str(text))
        stretches = {part for word, _ in words for part in _stretches(word)}
        return _tokenizer_of(
            {one: self.ids[one] for one in (*_SPECIAL, *(stretches & self.ids.keys()))}
        )


def _tokenizer_of(ids: dict[str, int]) -> Tokenizer:
    made = Tokenizer(WordPiece(ids, unk_token=_UNKNOWN))
    made.normalizer = _NORMALIZER
    made.pre_tokenizer = BertPreTokenizer()
    made.add_special_tokens(_SPECIAL)
    return made


def _stretches(word: str) -> Iterator[str]:
    """Yield every stretch of a word as a token has it: what does not begin it is marked."""
    for begin in range(len(word)):
        mark = _INSIDE if begin else ""
        for end in range(begin + 1, min(len(word), begin + _LONGEST) + 1):
            yield mark + word[begin:end]


def _read_list(path: Path) -> _Vocabulary | None:
    """Return the tokens of a list, None where it is not there or not sound."""
    try:
        read = path.read_bytes()
    except OSError:
        return None
    if hashlib.sha256(read).hexdigest() != _VOCABULARY_SHA256:
        return None
    return _Vocabulary(read.decode("utf-8").splitlines())


def _write_list(tokenizer: Tokenizer, path: Path) -> None:
    """Write the tokens of a tokenizer in their order."""
    places = tokenizer.get_vocab()
    listed = "".join(f"{one}\n" for one in sorted(places, key=places.__getitem__))
    write_whole(path, listed.encode("utf-8"))


def _encodable(text: str) -> str:
    """Return the text with each lone surrogate as one question mark, so that offsets stay."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _windows(text: str, size: int) -> Iterator[tuple[int, str]]:
    """Yield stretches of at most `size` characters with their beginnings, cut after white space."""
    begin = 0
    while begin < len(text):
        end = min(begin + size, len(text))
        if end < len(text):
            blank = max(text.rfind(" ", begin, end), text.rfind("\n", begin, end))
            # One endless word is cut where the window ends: it is no word of any language.
            end = blank + 1 if blank >= begin else end
        yield begin, text[begin:end]
        begin = end
