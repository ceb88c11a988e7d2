"""The RDF tools at work: typed questions to what each caller may read, as statements."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from weft.agents.evidence import EvidenceBook, evidence_item
from weft.agents.tools.library import RunLibrary, RunReader
from weft.agents.tools.passing import Passing
from weft.agents.tools.rdf_manifests import MOST_ROWS, RDF_QUERY, RDF_TERMS
from weft.domain.errors import BadInput, NotFound
from weft.platform.manifest import Handler
from weft.ports.knowledge import StoredChunk
from weft.ports.store import Base
from weft.retrieval.hits import Hit
from weft.retrieval.rdf.ontology_pages import ONTOLOGY, page_of
from weft.retrieval.rdf.projection import Projection, projected
from weft.retrieval.rdf.templates import Needs, RdfQuestion, Template, needs, sparql_of

# So many rows are cited.
_MOST_CITED = 12


class RdfTools:
    """The handlers of one run's RDF tools; a base is projected once a node."""

    def __init__(self, library: RunLibrary, reader: RunReader, *, book: EvidenceBook) -> None:
        """Take what is read, who reads, and what the run was given so far."""
        self._library = library
        self._reader = reader
        self._book = book
        self._passing = Passing(library, reader)
        self._projected: dict[str, Projection] = {}

    def handlers(self) -> Mapping[str, Handler]:
        """Return the handlers by tool name."""
        return {RDF_QUERY: self.rdf_query, RDF_TERMS: self.rdf_terms}

    async def rdf_terms(self, args: Mapping[str, Any]) -> object:
        """Return the classes and relations of the ontologies, with their other names."""
        del args
        known = [self._library.ontology_of(base.name) for base in self._library.bases]
        return {
            "classes": {each.name: list(each.aliases) for one in known for each in one.classes},
            "relations": {each.name: list(each.aliases) for one in known for each in one.relations},
        }

    async def rdf_query(self, args: Mapping[str, Any]) -> object:
        """Return what a template gives in each base, with what its rows stand on."""
        template = Template(args["template"])
        answers: list[dict[str, Any]] = []
        evidence: dict[str, dict[str, Any]] = {}
        refused: list[BadInput] = []
        seen: set[str] = set()
        for base in self._library.bases:
            ontology = self._library.ontology_of(base.name)
            # What one ontology says is said once, however many bases are read by it.
            alone = needs(template) is not Needs.THING and not _asks_things(template)
            if alone and ontology.fingerprint in seen:
                continue
            seen.add(ontology.fingerprint)
            try:
                told, items = await self._ask(base, template, str(args.get("of", "")))
            except BadInput as error:  # another base may have another ontology
                refused.append(error)
                continue
            answers.append(told)
            evidence |= items
        if refused and not answers:
            raise refused[0]
        return {"answers": answers, "evidence": list(evidence.values())}

    async def _ask(
        self, base: Base, template: Template, of: str
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        ontology = self._library.ontology_of(base.name)
        made = self._projected.get(base.name)
        if made is None:
            made = await projected(base, self._reader.scope, ontology)
            self._projected[base.name] = made
        if needs(template) is Needs.THING:
            of = _thing(made, of)
        asked = RdfQuestion(template=template, of=of)
        sparql = sparql_of(asked, ontology)
        if self._library.rdf is None:
            raise NotFound("Nothing is there to hold RDF.")
        found = self._library.rdf.dataset(made.statements).select(sparql)
        rows = [row for row in found.rows[:MOST_ROWS] if await self._passing.is_open(row)]
        cites, items = await self._cited(base, made, asked, rows)
        await self._took(base, made, template)
        told = {
            "knowledge_base": base.name,
            "ontology": ontology.name,
            "sparql": sparql,
            "columns": list(found.columns),
            "rows": [list(row) for row in rows],
            "total": len(found.rows),
            "is_cut": made.is_cut,
            "cites": cites,
        }
        return told, items

    async def _took(self, base: Base, made: Projection, template: Template) -> None:
        """Take down the documents that a run was told something of, where it asked of things."""
        if needs(template) is Needs.THING or _asks_things(template):
            members = (member for each in made.things.values() for member in each.members)
            await self._passing.read((base.name, member.document_id) for member in members)

    async def _cited(
        self,
        base: Base,
        made: Projection,
        asked: RdfQuestion,
        rows: Sequence[Sequence[str]],
    ) -> tuple[list[dict[str, object]], dict[str, dict[str, Any]]]:
        """Return for the first rows the sentences that they stand on, and their passages."""
        cites: list[dict[str, object]] = []
        items: dict[str, dict[str, Any]] = {}
        for n, row in enumerate(rows[:_MOST_CITED]):
            for stored, source, text in await self._stands_on(base, made, asked, row):
                name = self._book.id_of(source, stored.chunk.id)
                items[name] = evidence_item(stored.evidence(name, knowledge_base=source), name)
                cites.append({"row": n, "id": name, "text": text})
        return cites, items

    async def _stands_on(
        self, base: Base, made: Projection, asked: RdfQuestion, row: Sequence[str]
    ) -> list[tuple[StoredChunk, str, str]]:
        """Return where a thing of a row is named, else the ontology's sentence it comes from."""
        things = {each.name for each in made.things.values()}
        for cell in row if _asks_things(asked.template) else ():
            ids = await base.knowledge.containing(self._reader.scope, cell, 1)
            for stored in await base.knowledge.chunks(self._reader.scope, ids):
                text = _sentence(stored, cell) if cell in things else ""
                if text and await self._may_pass(base, stored):
                    return [(stored, base.name, text)]
        if asked.template is Template.CLASS_COUNT:
            row = tuple(each.name for each in made.ontology.classes[:1])
        # What is said of a wider class is true of the one that is asked of.
        wider = made.ontology.ancestors(asked.of) if asked.of else ()
        for term in (asked.of, *row):
            page = page_of(made.ontology, term)
            line = (
                None
                if page is None
                else _line(page.chunk.text, asked, words={asked.of, *row, *wider})
            )
            if page is not None and line is not None:
                return [(page, ONTOLOGY, line)]
        return []

    async def _may_pass(self, base: Base, stored: StoredChunk) -> bool:
        hit = Hit(
            evidence=stored.evidence(stored.chunk.id, knowledge_base=base.name),
            score=0.0,
            cosine=0.0,
            cosines=(),
        )
        return await self._passing.whole([hit]) is not None


def _asks_things(template: Template) -> bool:
    return template in (
        Template.INSTANCES,
        Template.INSTANCE_COUNTS,
        Template.UNUSED_CLASSES,
        Template.TRIPLE_COUNT,
        Template.PAIRS,
    )


def _thing(made: Projection, of: str) -> str:
    """Return the address of a thing that is named by its node or by its address."""
    address = of if of in made.things else f"urn:weft:thing:{quote(of, safe='')}"
    if address not in made.things:
        raise BadInput("There is no such thing.", name=of[:100])
    return address


def _line(text: str, asked: RdfQuestion, *, words: Collection[str]) -> str | None:
    """Return the line of a page that says what a row does; that a term is there says the first."""
    lines = text.split("\n")
    if asked.template in _SAID_AS:
        fitting = (one for one in lines if f" {_SAID_AS[asked.template]} " in one)
        return next((one for one in fitting if one[:-1].split(" ")[-1] in words), None)
    if asked.template is Template.DEFINITION:
        return next((one for one in lines if any(f": {word}" in one for word in words)), None)
    if asked.template is Template.LABELS:
        return next((one for one in lines if any(one.endswith(f" {w}.") for w in words)), lines[0])
    return lines[0]


# In which words a page says what a template asks.
_SAID_AS = {
    Template.DOMAIN: "domain",
    Template.RANGE: "range",
    Template.PROPERTIES_OF: "domain",
    Template.PROPERTIES_TO: "range",
    Template.SUBCLASSES: "subclass",
    Template.SUPERCLASSES: "subclass",
    Template.CLASSES_WITH_SUBCLASSES: "subclass",
}


def _sentence(stored: StoredChunk, name: str) -> str:
    text, at = stored.chunk.text, stored.chunk.text.lower().find(name.lower())
    for span in stored.chunk.sentences:
        if span.start <= at < span.end:
            return text[span.start : span.end].strip()
    return ""
