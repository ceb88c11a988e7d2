"""What the agents of one run share: conclusions by name, results of queries by what was asked."""

from __future__ import annotations

from weft.platform.identity import principal_scope
from weft.platform.memory import AGENT_RESULT, ENTRIES, SharedMemory, query_key

OWNER = principal_scope(
    tenant="local", actor="user:ann", groups=("group:staff",), permissions={"ask"}
)
OTHER = principal_scope(tenant="local", actor="user:bob", groups=(), permissions={"ask"})


def test_what_agents_concluded_is_told_by_the_names_of_their_bases() -> None:
    memory = SharedMemory()
    memory.put(f"{AGENT_RESULT}Press", "later")
    memory.put(f"{AGENT_RESULT}Archive", "first")
    memory.put(f"{AGENT_RESULT}Press", "anew")
    memory.put("plan", "something else")
    assert memory.get(f"{AGENT_RESULT}Press") == "anew"
    assert memory.get("nothing") is None
    assert list(memory.get_all_results().items()) == [("Archive", "first"), ("Press", "anew")]


def test_of_queries_the_longest_unused_goes_first_and_no_conclusion_does() -> None:
    memory = SharedMemory()
    memory.put(f"{AGENT_RESULT}Archive", "kept")
    for number in range(ENTRIES):
        memory.keep(str(number), number)
    assert memory.recall("0") == 0
    memory.keep("one more", "")
    assert len(memory) == ENTRIES
    assert memory.recall("1") is None
    assert memory.recall("0") == 0
    assert memory.get_all_results() == {"Archive": "kept"}


def test_a_query_is_known_by_base_arguments_and_rights_and_nothing_is_lower_cased() -> None:
    asked = {"query": "Apollo", "top_k": 5}
    key = query_key(OWNER, "rag_search", asked, knowledge_bases=["Main"])
    same = query_key(OWNER, "rag_search", {"top_k": 5, "query": "Apollo"}, knowledge_bases=["Main"])
    assert same == key
    others = {
        query_key(OWNER, "rag_search", {**asked, "query": "apollo"}, knowledge_bases=["Main"]),
        query_key(OWNER, "rag_search", asked, knowledge_bases=["Other"]),
        query_key(OWNER, "fetch_document", asked, knowledge_bases=["Main"]),
        query_key(OTHER, "rag_search", asked, knowledge_bases=["Main"]),
    }
    assert len(others) == 4
    assert key not in others
