"""The page at `/docs`: the OpenAPI document as plain HTML, which loads nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response

router = APIRouter(include_in_schema=False)
# Not even a script of our own: there is nothing on it to run.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
_METHODS = ("get", "post", "put", "patch", "delete")
_TEXTS = {
    "en": {
        "parameters": "Parameters",
        "required": "required",
        "body": "Body",
        "replies": "Replies",
        "shapes": "Shapes",
        "machine": "The same for machines:",
    },
    "ko": {
        "parameters": "매개변수",
        "required": "필수",
        "body": "본문",
        "replies": "응답",
        "shapes": "자료 형식",
        "machine": "기계용 문서:",
    },
}
Languages = Annotated[str, Header(alias="Accept-Language", max_length=500)]


@router.api_route("/docs", methods=["GET", "HEAD"])
def reference(request: Request, languages: Languages = "") -> Response:
    """Return the reference of the interface, which is public and holds no data."""
    language = "ko" if languages.strip().lower().startswith("ko") else "en"
    return Response(
        reference_page(request.app.openapi(), language=language),
        media_type="text/html",
        headers={
            "Content-Security-Policy": POLICY,
            "Content-Language": language,
            "Cache-Control": "no-cache",
            "Vary": "Accept-Language",
        },
    )


def reference_page(document: Mapping[str, Any], *, language: str = "en") -> str:
    """Return an OpenAPI document as a page; every text of it is shown as text."""
    say = _TEXTS[language]
    info = document["info"]
    title = escape(f"{info['title']} {info['version']}")
    parts = [
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        '<link rel="icon" href="page/mark.svg" type="image/svg+xml">',
        '<link rel="stylesheet" href="page/tokens.css">',
        '<link rel="stylesheet" href="page/reference.css">',
        f"</head>\n<body>\n<h1>{title}</h1>",
        _paragraphs(info.get("description", "")),
        f'<p>{say["machine"]} <a href="openapi.json">openapi.json</a></p>',
        *_operations(document, say),
        f"<h2>{say['shapes']}</h2>",
        *_shapes(document.get("components", {}).get("schemas", {})),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _operations(document: Mapping[str, Any], say: Mapping[str, str]) -> Iterator[str]:
    """Yield the operations under the tag that each has first, in the document's order."""
    by_tag: dict[str, list[str]] = {}
    for path, item in document["paths"].items():
        for method in _METHODS:
            if method in item:
                tag = next(iter(item[method].get("tags", ())), "")
                shown = _operation(path, method, operation=item[method], say=say)
                by_tag.setdefault(tag, []).append(shown)
    for tag, operations in by_tag.items():
        yield f"<h2>{escape(tag)}</h2>"
        yield from operations


def _operation(
    path: str, method: str, *, operation: Mapping[str, Any], say: Mapping[str, str]
) -> str:
    inside = [_paragraphs(operation.get("description", ""))]
    if parameters := operation.get("parameters"):
        inside += [f"<h3>{say['parameters']}</h3>", "<dl>"]
        inside += [_parameter(one, say) for one in parameters]
        inside.append("</dl>")
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        inside += [f"<h3>{say['body']} <code>{escape(kind)}</code></h3>", _as_json(content)]
    inside += [f"<h3>{say['replies']}</h3>", "<dl>"]
    for status, reply in operation.get("responses", {}).items():
        inside.append(f"<dt><code>{escape(status)}</code> {escape(reply['description'])}</dt>")
        inside += [f"<dd>{_kind(*one)}</dd>" for one in reply.get("content", {}).items()]
    inside.append("</dl>")
    head = (
        f'<summary><code class="{method}">{method.upper()}</code> <code>{escape(path)}</code> '
        f"{escape(operation.get('summary', ''))}</summary>"
    )
    return "\n".join([f"<details>{head}", *inside, "</details>"])


def _parameter(parameter: Mapping[str, Any], say: Mapping[str, str]) -> str:
    needed = f" · {say['required']}" if parameter.get("required") else ""
    about = escape(parameter.get("description", ""))
    kind = escape(_in_short(parameter.get("schema", {})))
    name, place = escape(parameter["name"]), escape(parameter["in"])
    return f"<dt><code>{name}</code> {place} · {kind}{needed}</dt><dd>{about}</dd>"


def _kind(media_type: str, content: Mapping[str, Any]) -> str:
    return f"<code>{escape(media_type)}</code> {_linked(content.get('schema', {}))}"


def _linked(schema: Mapping[str, Any]) -> str:
    """Return a schema in a word, with a link where it is a shape of its own."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    return escape(_in_short(schema))


def _in_short(schema: Mapping[str, Any]) -> str:
    if "anyOf" in schema:
        return " | ".join(_in_short(one) for one in schema["anyOf"])
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    return str(schema.get("type", ""))


def _shapes(schemas: Mapping[str, Any]) -> Iterator[str]:
    for name, schema in schemas.items():
        head = f'<details id="{escape(name)}"><summary><code>{escape(name)}</code></summary>'
        yield head + _paragraphs(schema.get("description", "")) + _as_json(schema) + "</details>"


def _as_json(value: object) -> str:
    return f"<pre>{escape(json.dumps(value, ensure_ascii=False, indent=2))}</pre>"


def _paragraphs(text: str) -> str:
    said = (part.strip() for part in text.split("\n\n"))
    return "".join(f"<p>{escape(part)}</p>" for part in said if part)
