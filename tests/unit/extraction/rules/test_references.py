"""References and handles are spelt alike, so that a view can join them."""

import pytest

from weft.domain.document import Document, Value
from weft.domain.ids import DocumentId
from weft.extraction.rules.references import canonical_url, handles, references


def document(id_: str, source: str = "docs", uri: str = "", **metadata: Value) -> Document:
    return Document(
        id=DocumentId(id_), source=source, type="file", title="t", uri=uri, version="1",
        acl=frozenset(), metadata=metadata,
    )  # fmt: skip


HERE = document("file:docs/guide/start.md")


def found(text: str, *links: str) -> set[tuple[str, str]]:
    return {(each.kind, each.handle) for each in references(HERE, text, links=links)}


def test_issue_keys_count_but_standards_do_not() -> None:
    text = (
        "See PROJ-12, (ABC-7) and UTF-8, SHA-256, ISO-8601, COVID-19, CVE-2024-1, GPL-3, RFC-2119."
    )
    assert found(text) == {("jira_key", "jira:PROJ-12"), ("jira_key", "jira:ABC-7")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a see Acme/Tools#42 b", ("github_issue", "github:acme/tools#42")),
        ("https://github.com/Acme/Tools/pull/42.", ("github_issue", "github:acme/tools#42")),
        (
            "https://github.com/acme/tools/commit/0123456789abcdef",
            ("commit_url", "url:github.com/acme/tools/commit/0123456789abcdef"),
        ),
        (
            "https://github.com/Acme/Tools/blob/main/src/a%20b.py#L3",
            ("doc_id", "github:acme/tools:src/a b.py"),
        ),
        ("https://w.example/wiki/spaces/X/pages/123/T", ("confluence_page", "confluence:123")),
        ("https://w.example/x?pageId=9", ("confluence_page", "confluence:9")),
        ("<https://J.example/browse/PROJ-1>", ("jira_key", "jira:PROJ-1")),
        ("see confluence:77, now", ("doc_id", "confluence:77")),
        ("see file:docs/a.md.", ("doc_id", "file:docs/a.md")),
        ("(http://A.example:80/b/#c)", ("url", "url:a.example/b")),
        ("[b](../other/b.md#part)", ("path", "path:docs/other/b.md")),
        ("[b](b%20c.md 'x')", ("path", "path:docs/guide/b c.md")),
        ("[b]: /top.md", ("path", "path:docs/top.md")),
        ('<a href="x/y.html">', ("path", "path:docs/guide/x/y.html")),
    ],
)
def test_what_is_found_in_a_text(text: str, expected: tuple[str, str]) -> None:
    assert expected in found(text)


def test_links_are_resolved_against_the_document() -> None:
    assert found("", "next.md", "#top", "mailto:a@b.c", "../../out.md", "https://a.example/") == {
        ("path", "path:docs/guide/next.md"),
        ("url", "url:a.example"),
    }


def test_a_document_does_not_refer_to_itself() -> None:
    assert not found("[me](start.md) and file:docs/guide/start.md")


def test_references_are_ordered_and_each_there_once() -> None:
    text = "PROJ-2 PROJ-1 PROJ-2 https://a.example/ http://a.example"
    given = references(HERE, text)
    assert [each.handle for each in given] == ["jira:PROJ-1", "jira:PROJ-2", "url:a.example"]


def test_handles_are_spelt_as_references_are() -> None:
    assert handles(document("file:docs/a b.md", uri="https://A.example/x/#y")) == (
        "file:docs/a b.md",
        "path:docs/a b.md",
        "url:a.example/x",
    )
    assert handles(document("jira:PROJ-1", issue_key="PROJ-1")) == ("jira:PROJ-1",)
    assert handles(document("confluence:9", page_id=9)) == ("confluence:9",)
    assert handles(document("github:Acme/Tools:src/A.py")) == ("github:acme/tools:src/A.py",)


@pytest.mark.parametrize("url", ["http://[", "http://a:b/", "http://", "https://a.example/%zz"])
def test_a_broken_url_is_only_itself(url: str) -> None:
    assert canonical_url(url).startswith("url:")
    references(HERE, f"{url} text", links=(url,))
