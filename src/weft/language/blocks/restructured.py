"""The directives and targets of reStructuredText, told by their lines.

Source: the references of docutils, of Sphinx, and of the extensions that manuals commonly use.
"""

from __future__ import annotations

from weft.domain.frozen import dataclass
from weft.language.patterns import pattern

_DIRECTIVE = pattern(r"[ \t]*\.\.[ \t]+(?:[a-z]\w*:)?([a-z][\w.+-]*)::(?:[ \t]+(?=\S)|[ \t]*$)")
_TARGET = pattern(r"[ \t]*(?:\.\.[ \t]+_(?:`[^`]+`|[^:`]+):|__[ \t]+\S)")
_LITERAL = pattern(r"(?:^|[^:.])::[ \t]*$")
# Directives whose content is shown as it stands.
_VERBATIM = frozenset(
    """
code code-block sourcecode literalinclude parsed-literal prompt console doctest testcode
testsetup testoutput testcleanup math raw graphviz digraph graph mermaid productionlist
""".split()
)
# Directives that name nothing: notices, pictures, tables, lists, what is put in from elsewhere. All
# others describe what their line names, as those that a project makes up itself do.
_NO_DESCRIPTION = _VERBATIM | frozenset(
    """
attention caution danger error hint important note tip warning admonition topic sidebar
line-block rubric epigraph highlights pull-quote compound container table csv-table
list-table contents sectnum section-numbering header footer image figure meta include
replace unicode date role default-role title target-notes versionadded versionchanged
versionremoved deprecated deprecated-removed seealso centered hlist glossary highlight
highlightlang index only tabularcolumns module currentmodule currentclass sectionauthor
codeauthor automodule autoclass autofunction automethod autoattribute autodata
autoexception autosummary autoenum toctree todo todolist inheritance-diagram tab tabs
tab-set tab-item group-tab code-tab dropdown card grid grid-item grid-item-card button-ref
button-link cssclass rst-class ifconfig acks availability impl-detail audit-event
""".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Directive:
    """A directive by its name; `start` is where its argument begins in the line, else its end.

    It `describes` what its argument names: a function, a setting, a command.
    """

    name: str
    start: int
    describes: bool

    @property
    def tells_when(self) -> bool:
        """Tell whether its own name is part of what it says: since which version something is."""
        return self.name.startswith(("version", "deprecated"))


def directive_in(line: str) -> Directive | None:
    """Return the directive that a line opens; None for any other line."""
    match = _DIRECTIVE.match(line)
    if match is None:
        return None
    has_argument = bool(line[match.end() :].strip())
    describes = has_argument and match[1] not in _NO_DESCRIPTION
    return Directive(name=match[1], start=match.end(), describes=describes)


def is_target(line: str) -> bool:
    """Tell whether a line only names a place, or where a link leads."""
    return _TARGET.match(line) is not None


def opens_literal(line: str) -> bool:
    """Tell whether what is indented below a line is shown as it stands."""
    directive = directive_in(line)
    if directive is not None:
        return directive.name in _VERBATIM
    return _LITERAL.search(line) is not None


def indent_of(line: str) -> int:
    """Return how many characters a line is indented."""
    return len(line) - len(line.lstrip())


def has_directives(text: str) -> bool:
    """Tell whether a text has a directive at the beginning of a line."""
    return "::" in text and any(directive_in(line) for line in text.splitlines() if "::" in line)
