"""What may leave a run once others than the person who asks have given it text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from weft.domain.errors import Forbidden
from weft.language.terms import word_terms, words
from weft.platform.manifest import SideEffects, ToolManifest

# Signs of writing, which say nothing by themselves.
_SIGNS = frozenset(" \n\t.,;:?!'\"’()-+/&%")


class Taint:
    """Whether a run was given text of others, and the words that the person wrote.

    Documents, pages of the web and earlier answers are text of others, and a run that took any is
    tainted for good. From then on a tool that changes something or sends something out takes the
    person's own words alone, but for the arguments that its manifest names as `untrusted_args`.
    """

    def __init__(self, written: Iterable[str] = (), *, tainted: bool = False) -> None:
        """Take what the person wrote: the question, and those before it in the conversation."""
        self._written = tuple(written)
        self.tainted = tainted

    def take(self) -> None:
        """Note that text of others came in."""
        self.tainted = True

    def check(self, manifest: ToolManifest, args: Mapping[str, object]) -> None:
        """Raise `Forbidden` naming the argument that would carry words of others away."""
        if not self.tainted or manifest.side_effects is SideEffects.READ:
            return
        own, signs = _words_and_signs(self._written)
        for name, value in args.items():
            if name in manifest.untrusted_args:
                continue
            said, used = _words_and_signs(_texts(value))
            if not (said <= own and used <= signs | _SIGNS):
                raise Forbidden(
                    f"{manifest.name}: what was read must not go out or change anything, so "
                    f"'{name}' may have no words but those of the question.",
                    action=f"tool.run:{manifest.name}",
                )


def _words_and_signs(texts: Iterable[str]) -> tuple[set[str], set[str]]:
    """Return the terms of texts, and every sign in them that is of no word."""
    terms: set[str] = set()
    signs: set[str] = set()
    for text in texts:
        composed = unicodedata.normalize("NFKC", text)
        terms.update(term for word in words(composed) for term in word_terms(word))
        signs.update(sign for sign in composed if not sign.isalnum())
    return terms, signs


def _texts(value: object) -> Iterator[str]:
    """Yield every text of an argument, names within it too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, one in value.items():
            yield str(name)
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
