"""A question read against the evidence so far: what it names, and what is to be looked up next."""

from __future__ import annotations

from weft.agents.asking import Plan, read_plan
from weft.agents.book import EvidenceBook
from weft.agents.chains import Desktop, wanted_names
from weft.agents.names import key_of
from weft.agents.passage import read_passages


def lay_out(question: str, book: EvidenceBook) -> tuple[Plan, Desktop]:
    """Return the plan of a question and the passages of a book as a plan is followed in them."""
    desk = Desktop(passages=read_passages(book), looked_up=book.looked_up)
    plan = read_plan(question, desk.known)
    spans = {key: () for span in plan.beside if len((key := key_of(span)).split()) > 1}
    if spans:  # names that no passage defines can still be where a chain begins
        plan = read_plan(question, {**desk.known, **spans})
    return plan, desk


def names_to_look_up(question: str, book: EvidenceBook) -> tuple[str, ...]:
    """Return the keys of the names without which the question's roles lead no further."""
    plan, desk = lay_out(question, book)
    return wanted_names(plan, desk)
