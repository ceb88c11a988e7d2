"""What is doubtful in an ontology: words of two masters, and names that nothing leads to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from weft.ontology.schema import EntityClass, Ontology, Relation, spelt


def doubts(ontology: Ontology) -> list[str]:
    """Return in words what its author should look at; none of it keeps it from being used."""
    return [
        *_shared(ontology.classes, "classes"),
        *_shared(ontology.relations, "relations"),
        *(
            f"relation {each.name}: no cue, field or alias leads to it"
            for each in ontology.relations
            if not (each.cues or each.inverse_cues or each.fields or each.aliases)
        ),
        *(
            f"class {each.name}: no word, member or alias leads to it"
            for each in ontology.classes
            if not (each.literal or _hints(each) or each.aliases)
        ),
    ]


def _hints(each: EntityClass) -> bool:
    return bool(
        each.keywords
        or each.endings
        or each.beginnings
        or each.before
        or each.after
        or each.members
    )


def _shared(entries: Iterable[EntityClass] | Iterable[Relation], what: str) -> Iterable[str]:
    """Yield the aliases that more than one lays claim to, the first of which has it."""
    owners: defaultdict[str, list[str]] = defaultdict(list)
    for each in entries:
        fields = each.fields if isinstance(each, Relation) else ()
        for name in dict.fromkeys(map(spelt, (each.name, *each.aliases, *fields))):
            owners[name].append(each.name)
    for name, own in owners.items():
        if len(own) > 1:
            yield f"{what} {', '.join(own)}: all are called '{name}'; {own[0]} has it"
