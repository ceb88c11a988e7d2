"""The second hop: the question asked again with a bridge's name in place of what is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from weft.domain.frozen import dataclass
from weft.index.named_view import NamedView
from weft.index.scoring import cosines, postings, summed
from weft.index.segment import Floats
from weft.index.tables import Ints, Longs
from weft.index.vectors import best_sentences, greatest, leading, passage_vectors
from weft.index.view import Doubles, best
from weft.language.patterns import pattern
from weft.language.terms import terms, word_terms, words
from weft.retrieval.first_stage import NEAR, NO_SENTENCE, FirstStage, SearchQuestion
from weft.retrieval.graph_walk import GraphStage

HOP_SEEDS = 3
BRIDGES = (4, 3, 2)
LINKED = 25
WORD_BUDGET = 120
_ALWAYS = 2
_MOST = 0.10
_READ = 15
_PIECE = pattern(r"\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class BridgeEntity:
    """A key that leads on from a passage, its name, and the question written anew with it."""

    key: int
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Leap:
    """One passage that the hop starts from: its weight, bridges, and all keys that lead on."""

    slot: int
    weight: float
    bridges: Sequence[BridgeEntity]
    linked: Sequence[int]
    rest: Doubles
    greatest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondHop:
    """The best that any re-query gives each slot (float64[slots]).

    `via` is int32[slots]: which of the `ways` (slot of the leap, name of the bridge) gave a slot
    its best joint value, -1 where none did.
    """

    text: Doubles
    text_linked: Doubles
    linked: Doubles
    anything: Doubles
    sentence: Doubles
    keyword: Doubles
    joint: Doubles
    via: Ints
    ways: Sequence[tuple[int, str]]


def leaps(
    named_view: NamedView, asked: SearchQuestion, *, first: FirstStage, graph: GraphStage
) -> list[Leap]:
    """Return where to go on from the best passages, within the budget of words."""
    seeds = best(named_view.view, graph.base, limit=HOP_SEEDS, above=0.0)
    top = graph.base[seeds[0]] if seeds else 1.0
    found: list[Leap] = []
    written: list[int] = []
    for seed, most in zip(seeds, BRIDGES, strict=False):
        at = np.array([seed], dtype=np.int64)
        covered = {stem for stem, rows in first.postings.items() if rows.has(at)[0]}
        keys = _bridges(named_view, asked, graph, seed)
        chosen: list[BridgeEntity] = []
        for key in keys[:most]:
            name = named_view.lexicon.text(key)
            text = _again(asked.text, name, covered)
            sizes = [*written, len(words(text))]
            if len(sizes) > _ALWAYS and len(sizes) * max(sizes) > WORD_BUDGET:
                break
            written = sizes
            chosen.append(BridgeEntity(key=key, name=name, text=text))
        rest = [rows for stem, rows in first.postings.items() if stem not in covered]
        found.append(
            Leap(
                slot=seed,
                weight=float(graph.base[seed] / top),
                bridges=chosen,
                linked=keys[:LINKED],
                rest=summed(len(named_view.view.readable), rest),
                greatest=float(first.text.max(initial=0.0)) or 1.0,
            )
        )
    return found


def _bridges(
    named_view: NamedView, asked: SearchQuestion, graph: GraphStage, slot: int
) -> list[int]:
    """Return the keys of a passage that may lead on, best sentence first."""
    df, passages = named_view.entities.df, named_view.view.passages
    barred = set(graph.keys) | named_view.defined(slot)
    scores = _sentence_scores(named_view, asked, slot)
    found: dict[int, float] = {}
    for key, sentence in named_view.mentions(slot):
        if key in barred or not 2 <= df[key] <= max(_MOST * passages, 2):
            continue
        own = float(named_view.graph.idf[key]) if scores is None else scores[sentence]
        found[key] = max(found.get(key, -2.0), own)
    text = {key: named_view.lexicon.text(key) for key in found}
    ranked = sorted(found, key=lambda key: (-found[key], text[key]))
    return [key for key in ranked if not _inside_another(key, found, text)]


def _inside_another(key: int, found: Mapping[int, float], text: Mapping[int, str]) -> bool:
    """Tell whether a longer name that scores as well holds this one."""
    own = f" {text[key]} "
    return any(
        other != key and found[other] >= found[key] and own in f" {text[other]} " for other in found
    )


def _sentence_scores(named_view: NamedView, asked: SearchQuestion, slot: int) -> list[float] | None:
    """Return each sentence's cosine, the passage's own last (for the title, numbered -1)."""
    if asked.vector is None:
        return None
    rows = named_view.view.sentence_vectors(slot)
    own = cosines(named_view.view.vector(slot)[np.newaxis], asked.vector)
    scores: list[float] = np.concatenate([cosines(rows, asked.vector), own]).tolist()
    return scores


def _again(question: str, name: str, covered: set[str]) -> str:
    """Return the question with its covered words replaced by a name, or the name added."""
    kept: list[str] = []
    placed = False
    for piece in _PIECE.findall(question):
        stems = [stem for word in words(piece) for stem in word_terms(word)]
        if not stems or not covered.issuperset(stems):
            kept.append(piece)
        elif not placed:
            kept.append(name)
            placed = True
    return " ".join(kept if placed else [*kept, name])


def second_hop(
    named_view: NamedView,
    found: Sequence[Leap],
    *,
    base: Doubles,
    vectors: Sequence[Floats],
    trust: float = 1.0,
) -> SecondHop:
    """Return what the re-queries bring; `vectors` has one for each bridge, or none at all.

    They are compared with the passages that lead by `base`, and with those that have the bridge.
    """
    gains = _Gains(named_view, found, base=base, trust=trust)
    waiting = iter(vectors)
    if vectors:
        gains.gather()
    for leap in found:
        gains.rest(leap)
        for bridge in leap.bridges:
            gains.cross(leap, bridge, vector=next(waiting, None))
    return SecondHop(**gains.best, via=gains.via, ways=gains.ways)


class _Gains:
    """The best of all leaps so far, for each slot."""

    def __init__(
        self, named_view: NamedView, found: Sequence[Leap], *, base: Doubles, trust: float
    ) -> None:
        self._named_view = named_view
        self._trust = trust
        self._size = len(named_view.view.readable)
        self._holders = named_view.having(key for leap in found for key in _keys(leap))
        self._bridges = {bridge.key for leap in found for bridge in leap.bridges}
        self._base = base
        self._at = np.zeros(0, dtype=np.int64)
        self._rows = np.zeros((0, 0), dtype=np.float32)
        names = ("text", "text_linked", "linked", "anything", "sentence", "keyword", "joint")
        self.best = {name: np.zeros(self._size, dtype=np.float64) for name in names}
        self.via = np.full(self._size, -1, dtype=np.int32)
        self.ways: list[tuple[int, str]] = []

    def gather(self) -> None:
        """Copy side by side the vectors of the passages that re-queries are compared with."""
        view = self._named_view.view
        chosen = np.zeros(self._size, dtype=np.bool_)
        chosen[leading(view, self._base, limit=NEAR)] = True
        for key in self._bridges:
            if len(self._holders[key]) <= NEAR:  # of a name that is everywhere, those that lead
                chosen[self._holders[key]] = True
        self._at = np.flatnonzero(chosen)
        self._rows = passage_vectors(view, self._at)

    def rest(self, leap: Leap) -> None:
        """Take in the question's words that the leap's passage lacks."""
        gain = leap.weight * (leap.rest / leap.greatest)
        self._raise("text", gain, leap)
        near = np.zeros(self._size, dtype=np.bool_)
        for key in leap.linked:
            near[self._holders[key]] = True
        self._raise("text_linked", np.where(near, gain, 0.0), leap)

    def cross(self, leap: Leap, bridge: BridgeEntity, *, vector: Floats | None) -> None:
        """Take in one re-query: by its vector, and by the words of question and name."""
        slots = self._holders[bridge.key]
        slots = slots[slots != leap.slot]
        own = summed(self._size, postings(self._named_view.view, terms(bridge.name)).values())
        keyword = (leap.rest[slots] + own[slots]) / leap.greatest
        self._raise_at("keyword", slots, leap.weight * keyword)
        alike = np.zeros(len(slots))
        if vector is not None:
            alike = self._compare(leap, slots, vector)
        joint = leap.weight * (alike + 0.5 * keyword)
        better = slots[joint > self.best["joint"][slots]]
        self.via[better] = len(self.ways)
        self.ways.append((leap.slot, bridge.name))
        self._raise_at("joint", slots, joint)

    def _compare(self, leap: Leap, slots: Longs, vector: Floats) -> Doubles:
        """Take in how alike passages are to a re-query; return it of those with the bridge.

        It is 0 of those that were left out.
        """
        every = self._trust * cosines(self._rows, vector).astype(np.float64)
        others = self._at != leap.slot
        self._raise_at("anything", self._at[others], leap.weight * every[others])
        place = np.searchsorted(self._at, slots)
        known = place < len(self._at)
        known[known] = self._at[place[known]] == slots[known]
        alike = np.zeros(len(slots))
        alike[known] = every[place[known]]
        self._raise_at("linked", slots[known], leap.weight * alike[known])
        self._read(leap, slots[known], alike[known], vector)
        return alike

    def _read(self, leap: Leap, slots: Longs, alike: Doubles, vector: Floats) -> None:
        """Look for the best sentence in the passages that are most alike."""
        chosen = greatest(alike, limit=_READ)
        slots, alike = slots[chosen], alike[chosen]
        best = best_sentences(self._named_view.view, slots, question=vector).astype(np.float64)
        values = np.where(best < NO_SENTENCE, alike, self._trust * best)
        self._raise_at("sentence", slots, leap.weight * values)

    def _raise(self, name: str, gain: Doubles, leap: Leap) -> None:
        own = self.best[name][leap.slot]
        np.maximum(self.best[name], gain, out=self.best[name])
        self.best[name][leap.slot] = own

    def _raise_at(self, name: str, slots: Longs, gain: Doubles) -> None:
        self.best[name][slots] = np.maximum(self.best[name][slots], gain)


def _keys(leap: Leap) -> Iterable[int]:
    return [*leap.linked, *(bridge.key for bridge in leap.bridges)]
