"""What a name of a question may mean, and what a person says that it means."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A thing that a name may mean: its node in a knowledge base, what it is called and is.

    `labels` are its classes, `documents` the ids of those that name it; `score_kind` says what the
    order of candidates is, `source` how this one was found.
    """

    database: str
    node_id: str
    display_name: str
    labels: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    score_kind: str = "ranked"
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionEntity:
    """A name of a question, and what it may mean, the likeliest first."""

    question_entity: str
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityOverride:
    """A person's word that a name of the question means a certain node.

    `database` is the knowledge base's name; `display_name` and `labels` only say it to people.
    """

    question_entity: str
    node_id: str
    database: str = ""
    display_name: str = ""
    labels: tuple[str, ...] = ()
