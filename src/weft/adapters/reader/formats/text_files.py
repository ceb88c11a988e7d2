"""Text files and Markdown: one document, its source text kept as it stands in the file."""

from __future__ import annotations

from weft.adapters.reader.dates import instant
from weft.adapters.reader.decoding import decode_filled
from weft.adapters.reader.header import Header, front_matter, header_lines
from weft.adapters.reader.outline import Style, blocks, first_heading
from weft.adapters.reader.parsed import ParsedFile, RawFile
from weft.domain.record import Record
from weft.language.blocks.restructured import has_directives

# Lines such as `key: value` are a header in a letter, and the very content of a configuration.
_LETTERS = frozenset({"", "txt", "text", "rst", "log"})


def read_text(source: RawFile) -> ParsedFile:
    """Return a plain text as one record: title from its header, else its first heading or name."""
    text = decode_filled(source)
    if source.suffix not in _LETTERS:
        return _document(source, text, header=Header(), style=Style.SOURCE)
    header = header_lines(text)
    if source.suffix == "rst" or has_directives(text):
        style = Style.RESTRUCTURED
    else:
        style = Style.MARKDOWN if header.body else Style.PLAIN
    return _document(source, text, header=header, style=style)


def read_markdown(source: RawFile) -> ParsedFile:
    """Return a Markdown text as one record, markup included; front matter becomes metadata."""
    text = decode_filled(source)
    header = front_matter(text) if text.startswith("---") else header_lines(text)
    return _document(source, text, header=header, style=Style.MARKDOWN)


def _document(source: RawFile, text: str, *, header: Header, style: Style) -> ParsedFile:
    body = blocks(text, start=header.body, style=style)
    title = header.value("title", "subject", "name") or first_heading(text, body) or source.name
    record = Record(
        content=text,
        title=title,
        blocks=(*header.blocks, *body),
        metadata=header.values,
        created=instant(header.value("created", "date")),
        updated=instant(header.value("updated", "updated_at", "lastmod")),
    )
    return ParsedFile(records=[record])
