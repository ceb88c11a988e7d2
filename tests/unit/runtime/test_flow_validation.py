from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from unit.runtime.flow_world import chain, flow_of
from weft.domain.errors import BadInput, InvalidFlow
from weft.domain.outside.limits import reader_of
from weft.domain.outside.written import fields_of
from weft.runtime.amounts import Limits
from weft.runtime.flow import EdgeKind, FlowSpec, NodeKind, NodeSpec
from weft.runtime.mermaid import draw
from weft.runtime.plan import compile_flow

YAML = """
name: answer
entry: think
exits: [write]
budget: {tokens: 1000, money: "0.25", wall_s: 30}
budget_exit: write
nodes:
  - {id: think, kind: agent, uses: think, timeout_s: 5, retry: {attempts: 2}}
  - {id: enough, kind: decision, uses: enough, outcomes: ["yes", "no"]}
  - {id: fork, kind: parallel}
  - {id: search, kind: tool, uses: search, optional: true, params: {limit: 5}}
  - {id: walk, kind: tool, uses: walk}
  - {id: judge, kind: decision, uses: judge, outcomes: [again, done]}
  - {id: write, kind: agent, uses: write}
edges:
  - {source: think, target: enough}
  - {source: enough, target: write, kind: conditional, when: "yes"}
  - {source: enough, target: fork, kind: conditional, when: "no"}
  - {source: fork, target: search, kind: parallel}
  - {source: fork, target: walk, kind: parallel}
  - {source: search, target: judge}
  - {source: walk, target: judge}
  - {source: judge, target: think, kind: loop, when: again, bound: 3}
  - {source: judge, target: write}
"""


def node(name: str, kind: NodeKind = NodeKind.STATE, **more: object) -> NodeSpec:
    uses = "" if kind is NodeKind.PARALLEL else "x"
    return reader_of(NodeSpec).validate_python({"id": name, "kind": kind, "uses": uses, **more})


def fork(name: str, **more: object) -> NodeSpec:
    return node(name, NodeKind.PARALLEL, **more)


def decision(name: str, *outcomes: str, **more: object) -> NodeSpec:
    return node(name, NodeKind.DECISION, outcomes=outcomes, **more)


def nodes(names: str) -> list[NodeSpec]:
    return [node(name) for name in names.split()]


def test_a_flow_is_read_from_yaml(tmp_path: Path) -> None:
    flow = FlowSpec.from_yaml(YAML)
    plan = compile_flow(flow)
    assert flow.budget == Limits(tokens=1000, money=flow.budget.money, wall_s=30)
    assert str(flow.budget.money) == "0.25"
    assert plan.nodes["search"].params == {"limit": 5}
    assert plan.ways["fork"].branches == ("search", "walk")
    assert plan.ways["fork"].join == "judge"
    assert plan.ways["judge"].loops[0].bound == 3
    assert FlowSpec.from_data(fields_of(flow)) == flow
    assert FlowSpec.from_yaml(YAML).fingerprint() == flow.fingerprint()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("name: [", "not YAML"),
        ("name: x", "entry"),
        (YAML.replace("kind: agent, uses: write", "kind: robot, uses: write"), "nodes.6.kind"),
        (YAML.replace('["yes", "no"]', "[yes, no]"), "nodes.1.outcomes"),
        (YAML + "surprise: 1\n", "surprise"),
    ],
)
def test_bad_data_is_named(text: str, named: str) -> None:
    with pytest.raises(InvalidFlow) as error:
        FlowSpec.from_yaml(text)
    assert named in error.value.message


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(BadInput):
        FlowSpec.from_yaml(YAML.replace("tokens: 1000", "tokens: -1"))


WRONG: dict[str, tuple[list[NodeSpec], list[str], str, str]] = {
    "unknown target": (nodes("a b"), ["a > b", "a > ghost"], "ghost", "not declared"),
    "twice": ([node("a"), node("b"), node("a")], ["a > b"], "a", "declared twice"),
    "unreachable": (nodes("a b c"), ["a > b", "c > b"], "c", "cannot be reached"),
    "cycle": (nodes("a b c d"), ["a > b", "b > c", "c > b"], "b", "cycle"),
    "dead end": (nodes("a b"), [], "b", "cannot be reached"),
    "several ways": (nodes("a b c"), ["a > b", "a > c"], "a", "sequential edge beside"),
    "no outcome's branch": (
        [decision("a", "yes", "no"), *nodes("b")],
        ["a >yes b"],
        "a",
        "no branch for its outcome 'no'",
    ),
    "branch of no outcome": (
        [decision("a", "yes"), *nodes("b c")],
        ["a >yes b", "a >maybe c"],
        "a",
        "'maybe', which is none",
    ),
    "decision without outcomes": ([decision("a"), *nodes("b")], ["a > b"], "a", "list its outcom"),
    "two branches of an outcome": (
        [decision("a", "yes"), *nodes("b c")],
        ["a >yes b", "a >yes c"],
        "a",
        "two edges for 'yes'",
    ),
    "bound without way on": (
        [*nodes("s"), decision("a", "yes", "no", "again"), *nodes("b c")],
        ["s > a", "a >yes b", "a >no c", "a >again*2 s"],
        "a",
        "when a loop's bound is reached",
    ),
    "optional decision": (
        [decision("a", "yes", "no", optional=True), *nodes("b c")],
        ["a >yes b", "a >no c"],
        "a",
        "no default branch",
    ),
    "forward loop": (nodes("a b c"), ["a > b", "b > c", "a >*2 c"], "a", "does not go back"),
    "no join": ([fork("p"), *nodes("a b")], ["p >p a", "p >p b"], "p", "meet at no join"),
    "no branch": ([fork("p")], [], "p", "no branch"),
    "mixed fork": ([fork("p"), *nodes("a b")], ["p >p a", "p > b", "a > b"], "p", "another kind"),
    "not a fork": (nodes("p a b"), ["p >p a", "p >p b", "a > b"], "p", "is not parallel"),
    "missed join": (
        [fork("p", join="a"), *nodes("a b c")],
        ["p >p a", "p >p b", "a > c", "b > c"],
        "p",
        "can miss its join 'a'",
    ),
    "shared node": (
        [fork("p"), *nodes("a b c x j")],
        ["p >p a", "p >p b", "p >p c", "a > x", "b > x", "x > j", "c > j"],
        "x",
        "two branches of 'p'",
    ),
    "loop out of a branch": (
        [*nodes("s"), fork("p"), *nodes("a b j")],
        ["s > p", "p >p a", "p >p b", "a > j", "b > j", "a >*2 s"],
        "a",
        "crosses a branch",
    ),
    "uses nothing": ([NodeSpec(id="a")], [], "a", "what it uses"),
}


@pytest.mark.parametrize("case", WRONG.values(), ids=WRONG.keys())
def test_a_wrong_flow_is_refused_by_node(
    case: tuple[list[NodeSpec], list[str], str, str],
) -> None:
    declared, edges, named, complaint = case
    with pytest.raises(InvalidFlow) as error:
        compile_flow(flow_of(declared, edges))
    assert f"'{named}'" in error.value.message
    assert complaint in error.value.message
    assert error.value.fields["node"] == named


@pytest.mark.parametrize("role", ["entry", "exits", "budget_exit"])
def test_missing_ends_are_refused(role: str) -> None:
    wrong: object = ("ghost",) if role == "exits" else "ghost"
    flow = FlowSpec.from_data(fields_of(chain("a", "b")) | {role: wrong})
    with pytest.raises(InvalidFlow, match="ghost"):
        compile_flow(flow)
    with pytest.raises(InvalidFlow, match="no exit"):
        compile_flow(replace(chain("a", "b"), exits=()))
    with pytest.raises(InvalidFlow, match="is an exit but"):
        compile_flow(replace(chain("a", "b"), exits=("a", "b")))


def test_a_node_that_is_no_exit_leads_on() -> None:
    flow = replace(chain("a", "b", "c"), exits=("a",), edges=())
    with pytest.raises(InvalidFlow, match="'b' is no exit"):
        compile_flow(flow)


def test_edges_say_what_their_kind_needs() -> None:
    good = chain("a", "b")
    for change, complaint in (
        ({"bound": 2}, "has a bound"),
        ({"kind": EdgeKind.CONDITIONAL}, "without a 'when'"),
        ({"when": "x"}, "with a 'when'"),
        ({"kind": EdgeKind.LOOP}, "has a bound"),
    ):
        edge = replace(good.edges[0], **change)
        with pytest.raises(InvalidFlow, match=complaint):
            compile_flow(replace(good, edges=(edge,)))


def test_joins_are_the_first_node_that_all_branches_reach() -> None:
    flow = flow_of(
        [fork("p"), node("a"), fork("q"), *nodes("c d i j z")],
        ["p >p a", "p >p q", "q >p c", "q >p d", "c > i", "d > i", "i > j", "a > j", "j > z"],
    )
    plan = compile_flow(flow)
    assert plan.ways["p"].join == "j"
    assert plan.ways["q"].join == "i"


def test_a_fork_of_one_ends_after_its_node_or_where_it_says() -> None:
    edges = ["p >p a", "a > b", "b > c"]
    assert compile_flow(flow_of([fork("p"), *nodes("a b c")], edges)).ways["p"].join == "b"
    chosen = compile_flow(flow_of([fork("p", join="c"), *nodes("a b c")], edges))
    assert chosen.ways["p"].join == "c"


def test_the_budget_exit_counts_as_reached() -> None:
    flow = flow_of(nodes("a b w"), ["a > b"], exits=("b", "w"), budget_exit="w")
    assert compile_flow(flow).nodes.keys() == {"a", "b", "w"}
    inside = flow_of(
        [fork("p"), *nodes("a b j")],
        ["p >p a", "p >p b", "a > j", "b > j"],
        budget_exit="a",
    )
    with pytest.raises(InvalidFlow, match="'a' is within a branch of 'p'"):
        compile_flow(inside)


def test_a_flow_is_drawn() -> None:
    lines = draw(FlowSpec.from_yaml(YAML)).splitlines()
    assert lines[0] == "flowchart TD"
    assert '    n0(["think"])' in lines
    assert '    n3[/"search?"/]' in lines
    assert '    n1 -- "yes" --> n6' in lines
    assert '    n5 -. "again (at most 3)" .-> n0' in lines
    assert "    spent(( )) -. budget .-> n6" in lines
    assert "    style n6 stroke-width:3px" in lines
