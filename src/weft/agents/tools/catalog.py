"""All tools there are."""

from __future__ import annotations

from weft.agents.tools.manifests import KNOWLEDGE_TOOLS
from weft.agents.tools.rdf_manifests import RDF_TOOLS
from weft.agents.tools.web_manifests import WEB_TOOL

EVERY_TOOL = (*KNOWLEDGE_TOOLS, *RDF_TOOLS, WEB_TOOL)
