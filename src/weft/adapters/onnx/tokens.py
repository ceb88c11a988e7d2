"""Text turned into the model's tokens, with their places in the text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer
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
_WINDOW = 32_768


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

        `vocabulary` is where its list of tokens is kept, or will be: it loads in half the time.
        """
        self._path = path
        self._vocabulary = vocabulary
        self._window = window

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        # Two threads at once load it twice, and keep the same.
        if self._vocabulary is not None and (listed := _listed(self._vocabulary)) is not None:
            return listed
        made = Tokenizer.from_file(str(self._path))
        made.no_padding()
        made.no_truncation()
        if self._vocabulary is not None:
            with suppress(OSError):  # a cache that cannot be written costs time alone
                _list(made, self._vocabulary)
        return made

    @cached_property
    def _ends_of_text(self) -> tuple[int, int]:
        return self._special("[CLS]"), self._special("[SEP]")

    def prepare(self) -> None:
        """Load the tokenizer, which takes as long as embedding a question does."""
        assert self._ends_of_text

    def encode(self, text: str) -> Tokens:
        """Return the first tokens of `text`, at most `MAX_TOKENS` with the special ones."""
        room = MAX_TOKENS - 2
        ids: list[int] = []
        starts: list[int] = []
        for begin, window in _windows(_encodable(text), self._window):
            piece = self._tokenizer.encode(window, add_special_tokens=False)
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
            for _, end in self._tokenizer.encode(window, add_special_tokens=False).offsets
        ]

    def _special(self, token: str) -> int:
        found = self._tokenizer.token_to_id(token)
        assert found is not None, f"the tokenizer has no {token}"
        return found


def _listed(vocabulary: Path) -> Tokenizer | None:
    """Return the tokenizer of a list of tokens, None where it is not there or not sound."""
    try:
        if hashlib.sha256(vocabulary.read_bytes()).hexdigest() != _VOCABULARY_SHA256:
            return None
    except OSError:
        return None
    made = Tokenizer(WordPiece.from_file(str(vocabulary), unk_token=_UNKNOWN))
    made.normalizer = BertNormalizer(lowercase=True)
    made.pre_tokenizer = BertPreTokenizer()
    made.add_special_tokens(_SPECIAL)
    return made


def _list(tokenizer: Tokenizer, vocabulary: Path) -> None:
    """Write the tokens of a tokenizer in their order."""
    places = tokenizer.get_vocab()
    listed = "".join(f"{one}\n" for one in sorted(places, key=places.__getitem__))
    write_whole(vocabulary, listed.encode("utf-8"))


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
