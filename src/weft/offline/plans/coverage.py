"""Which words of a question a plan gives a meaning to, and which it leaves over."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.domain.frozen import dataclass
from weft.language.hangul import has_hangul
from weft.language.kin import same_names
from weft.offline.plans.condition import Condition
from weft.offline.plans.signs import QuestionSigns, is_light, is_operator
from weft.offline.plans.wording import counted_word
from weft.offline.plans.words import source_spans
from weft.retrieval.tables.links import QuestionWord

# So little of a meaning is none; words of a table's name have most of one.
_HARDLY, _OWN = 0.3, 0.7
# Likeness begins to count here, and is as good as a name at 0.8.
_LEAST, _RANGE = 0.2, 0.6
# Other words for what is meant are a little less than its name.
_KIN = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class LostWords:
    """What a plan leaves over: how much of the words, and how many are names or Korean.

    `counted` is how little the word behind "how many" means to it, from 0 to 1; `elsewhere` how
    many words name another table, `values` how many name values under another name (women: F),
    without being one.
    """

    words: float
    names: float
    korean: float
    counted: float
    elsewhere: float
    values: float


def _is_within(word: QuestionWord, parts: Sequence[Condition]) -> bool:
    return any(one.start < word.end and word.start < one.end for one in parts)


class WordCoverage:
    """What the words of a question may stand for in one table, read once for all its plans."""

    def __init__(self, found: QuestionSigns, elsewhere: frozenset[int]) -> None:
        """Read the words that say something; `elsewhere` are those that name other tables."""
        self._found = found
        self._elsewhere = elsewhere - found.sketch.own
        self._sketch = found.sketch
        spans = source_spans(found.text)
        content = [
            word for word in found.words if not is_light(word) and not is_operator(found, word)
        ]
        sources = [w for w in content if any(a <= w.start < b for a, b in spans)]
        # What is said of the source is no condition, where something else is asked.
        self.content = [w for w in content if w not in sources] or content
        self.sources = sum(1 for word in sources if word.start not in found.sketch.own)
        capitals = sum(map(self._is_capital, self.content))
        self._is_titled = capitals * 2 > len(self.content)
        self._covers = {name: self._of_column(name) for name in found.sketch.columns}
        self._counted = self._counted_noun()

    @property
    def first(self) -> QuestionWord | None:
        """Return the first word that says something."""
        return self.content[0] if self.content else None

    @property
    def own(self) -> int:
        """Return how many words stand in what the table is called."""
        return sum(1 for word in self._found.words if word.start in self._sketch.own)

    def lost(
        self, parts: Sequence[Condition], columns: Iterable[str], *, counts: str = ""
    ) -> LostWords:
        """Return what a plan with some conditions and columns leaves over.

        What rows are called, `counts`, is what is counted: it means that one word and no other.
        """
        used = list(columns)
        whole = names = korean = elsewhere = values = 0.0
        for word in self.content:
            of_rows = [counts] if counts and word is self._counted else []
            covered = self._meaning(word, parts, [*used, *of_rows])
            whole += 1.0 - covered
            values += float(self._is_value(word) and not _is_within(word, parts))
            if covered < _HARDLY:
                names += float(self._is_capital(word) or word.text[:1].isdigit())
                korean += float(has_hangul(word.text))
                elsewhere += float(word.start in self._elsewhere)
        noun = self._counted
        used += [counts] if counts else []
        counted = 1.0 - self._meaning(noun, parts, used) if noun is not None else 0.0
        return LostWords(
            words=whole,
            names=names,
            korean=korean,
            counted=counted,
            elsewhere=elsewhere,
            values=values,
        )

    def _meaning(
        self, word: QuestionWord, parts: Sequence[Condition], columns: Sequence[str]
    ) -> float:
        if _is_within(word, parts):
            return 1.0
        own = _OWN if word.start in self._sketch.own else 0.0
        return max([own, *(self._covers[name].get(word.start, 0.0) for name in columns)])

    def _of_column(self, name: str) -> dict[int, float]:
        """Return for each word how well it stands for a column, by where it begins."""
        covers: dict[int, float] = {}
        links = [one for one in self._sketch.said if one.column == name and not one.values]
        links += [one for one in self._sketch.nearest if one.column == name]
        for one in links:
            worth = (one.score - _LEAST) / _RANGE if one.alike else 0.4 + 0.6 * one.score
            worth *= _KIN if one.kin else 1.0
            for word in self.content:
                if (one.kin or one.alike) and self._is_name(word):
                    continue  # Monday is a day, and no word for the column of days
                if one.start < word.end and word.start < one.end:
                    covers[word.start] = max(covers.get(word.start, 0.0), min(1.0, worth))
        if self._found.signs[name].size or self._found.signs[name].unit:
            for word in self.content:
                said = word.text.casefold()
                if any(said in size.more | size.less for size in self._found.sizes):
                    covers[word.start] = 1.0
        return covers

    def _is_capital(self, word: QuestionWord) -> bool:
        return word.text[:1].isupper() and word is not self._found.words[0]

    def _is_name(self, word: QuestionWord) -> bool:
        """Tell whether a word is a name by its capital, where most words have none."""
        return self._is_capital(word) and not self._is_titled

    def _is_value(self, word: QuestionWord) -> bool:
        """Tell whether a word names what cells say otherwise, and no column by its own name."""
        if not any(map(same_names, (word.text, *word.keys))):
            return False
        return not any(
            one.start <= word.start < one.end
            for one in self._sketch.said
            if not (one.values or one.kin or one.alike)
        )

    def _counted_noun(self) -> QuestionWord | None:
        """Return the word behind "how many" where it says something."""
        word = counted_word(self._found)
        return word if word in self.content else None
