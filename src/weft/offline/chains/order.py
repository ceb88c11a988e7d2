"""The order in which chosen sentences are read."""

from __future__ import annotations

from collections.abc import Sequence

from weft.offline.chains.chains import Trail
from weft.offline.evidence.passages import Candidate


def in_reading_order(ranked: Sequence[Candidate], trails: Sequence[Trail]) -> list[Candidate]:
    """Return the sentences as they are read: along a chain the hops first, in their order.

    The others by document, that of the best one first, and within it as they stand.
    """
    hops = [hop.sentence for trail in trails for hop in trail.hops]
    on_the_way = {
        (one.evidence_id, one.text): place for place, one in reversed(list(enumerate(hops)))
    }
    first = {one.evidence_id: place for place, one in reversed(list(enumerate(ranked)))}

    def order(one: Candidate) -> tuple[int, int, int]:
        hop = on_the_way.get((one.evidence_id, one.text), len(hops))
        document = 0 if hop < len(hops) else first[one.evidence_id]
        return hop, document, one.place

    return sorted(ranked, key=order)
