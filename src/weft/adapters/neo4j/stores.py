"""Opening knowledge bases by their target on a server (`neo4j://HOST:PORT/DATABASE`)."""

from __future__ import annotations

from collections.abc import Mapping

from weft.adapters.neo4j.browsing import BrowsingIndexes, Neo4jBrowsing
from weft.adapters.neo4j.servers import Credentials
from weft.adapters.neo4j.store import NewBaseSettings, open_store
from weft.adapters.neo4j.vocabulary import Vocabulary, vocabulary
from weft.domain.errors import BadInput
from weft.domain.scope import Scope
from weft.domain.target import ServerTarget
from weft.ontology.catalog import load_baseline
from weft.ontology.collection import Ontologies
from weft.ports.store import Recipe, Store


class Neo4jStores:
    """Implements `ports/store.py: Stores` on servers."""

    def __init__(
        self,
        credentials: Credentials,
        ontologies: Ontologies | None = None,
        *,
        indexes: BrowsingIndexes | None = None,
    ) -> None:
        """Take who opens servers, and the ontologies whose names entities and claims bear.

        `indexes` names those that can be made for other tools.
        """
        self._credentials = credentials
        self._indexes = indexes or BrowsingIndexes()
        self._ontologies = ontologies or Ontologies()

    def _words(self, made_with: Mapping[str, str]) -> Vocabulary:
        """Return the names of a base's ontology; the baseline's where that cannot be read now."""
        try:
            return vocabulary(self._ontologies.of(made_with))
        except BadInput:
            return vocabulary(load_baseline())

    async def open(
        self,
        scope: Scope,
        name: str,
        *,
        target: str,
        recipe: Recipe | None,
        is_new: bool = False,
    ) -> Store:
        """Open the database that a target names; make the knowledge base by the recipe."""
        made = None
        if recipe is not None:
            made = NewBaseSettings(
                settings=recipe.settings, dimensions=recipe.dimensions, name=name, is_new=is_new
            )
        opened = await open_store(
            self._credentials.address(ServerTarget.parse(target)),
            self._words,
            tenant=scope.tenant,
            made=made,
        )
        return Store(
            name=name,
            knowledge=opened.knowledge,
            publishing=opened.publishing,
            holdings=opened.holdings,
            ledger=opened.ledger,
            links=opened.links,
            documents=opened.documents,
            made_with=opened.made_with,
            lifetime=opened,
            is_on_server=True,
            browsing=Neo4jBrowsing(
                opened.database,
                self._indexes,
                dimensions=int(opened.made_with.get("dimensions", "0")),
            ),
        )
