"""The ids of documents that come from files: made from where they stand, and read back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from urllib.parse import unquote

from weft.domain.ids import DocumentId
from weft.ingest.sources.plan import Source


def document_key(source: Source, path: str, *, fragment: str = "") -> DocumentId:
    """Return the id of a file's one document, or of one of its records."""
    if not fragment:
        return DocumentId(f"file:{source.name}/{path}")
    # A `#` in a file's name must not look like the one before the fragment.
    plain = path.replace("%", "%25").replace("#", "%23")
    return DocumentId(f"record:{source.name}/{plain}#{fragment}")


def by_file(keys: Iterable[DocumentId], source: str) -> defaultdict[str, list[DocumentId]]:
    """Return the documents of each file of the source of that name."""
    found: defaultdict[str, list[DocumentId]] = defaultdict(list)
    whole = f"file:{source}/"
    for key in keys:  # nearly all are files of their own, of a large folder many
        path = key[len(whole) :] if key.startswith(whole) else file_of(key, source)
        found[path].append(key)
    return found


def file_of(key: DocumentId, source: str) -> str:
    """Return the path of the file that a document of the source of that name came from."""
    kind, _, place = key.partition(":")
    path = place.removeprefix(f"{source}/")
    return unquote(path.partition("#")[0]) if kind == "record" else path
