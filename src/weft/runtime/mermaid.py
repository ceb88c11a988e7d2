"""A flow as a Mermaid flowchart."""

from __future__ import annotations

from weft.runtime.flow import Edge, EdgeKind, FlowSpec, NodeKind, NodeSpec

_SHAPES = {
    NodeKind.AGENT: ("([", "])"),
    NodeKind.STATE: ("[", "]"),
    NodeKind.DECISION: ("{", "}"),
    NodeKind.PARALLEL: ("[[", "]]"),
    NodeKind.TOOL: ("[/", "/]"),
    NodeKind.MAP: ("[\\", "/]"),
}


def draw(flow: FlowSpec) -> str:
    """Return the text of a Mermaid flowchart, nodes and edges in the order they were declared.

    A thick border marks an exit, a dotted arrow a loop, a trailing `?` what is optional.
    """
    # Mermaid reserves words such as `end`: nodes are numbered, and named by their labels.
    names = {node.id: f"n{number}" for number, node in enumerate(flow.nodes)}
    lines = ["flowchart TD", f"    start(( )) --> {names.get(flow.entry, flow.entry)}"]
    lines += _body(flow, names)
    if flow.budget_exit:
        lines.append(f"    spent(( )) -. budget .-> {names[flow.budget_exit]}")
    return "\n".join(lines) + "\n"


def _body(flow: FlowSpec, names: dict[str, str]) -> list[str]:
    lines = [f"    {names[node.id]}{_shape(node)}" for node in flow.nodes]
    lines += [_arrow(edge, names) for edge in flow.edges]
    lines += [f"    style {names[exit_id]} stroke-width:3px" for exit_id in flow.exits]
    mapped = {node.flow: names[node.id] for node in flow.nodes if node.flow}
    for child in flow.children:
        prefix = mapped.get(child.name, "c")
        own = {node.id: f"{prefix}_{number}" for number, node in enumerate(child.nodes)}
        lines.append(f'    subgraph {prefix}_s["{_quoted(child.name)}, once for each"]')
        lines += ["    " + line for line in _body(child, own)]
        lines.append("    end")
        lines.append(f"    {prefix} -.-> {own[child.entry]}")
    return lines


def _shape(node: NodeSpec) -> str:
    left, right = _SHAPES[node.kind]
    label = f"{node.id}?" if node.optional else node.id
    return f'{left}"{label}"{right}'


def _arrow(edge: Edge, names: dict[str, str]) -> str:
    source, target = names[edge.source], names[edge.target]
    if edge.kind is EdgeKind.LOOP:
        label = f"{edge.when or 'again'} (at most {edge.bound})"
        return f'    {source} -. "{_quoted(label)}" .-> {target}'
    if edge.when is not None:
        return f'    {source} -- "{_quoted(edge.when)}" --> {target}'
    return f"    {source} --> {target}"


def _quoted(label: str) -> str:
    return label.replace("&", "&amp;").replace('"', "&quot;")
