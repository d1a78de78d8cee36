"""A client written from the wire text alone: paths, camelCase fields, answers, statuses."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.http.conftest import TAN, WASH, Client, until

EDGE = {
    "id": str, "orgId": str, "sourceId": str, "sourceName": str, "relation": str, "targetId": str,
    "targetName": str, "path": str, "chunkId": str, "importance": float, "feedbackWeight": float,
    "supersededBy": (str, type(None)), "createdAt": int, "text": str,
}  # fmt: skip


def is_edge(edge: dict[str, object]) -> bool:
    return all(isinstance(edge[name], kind) for name, kind in EDGE.items())  # type: ignore[arg-type]


@pytest.fixture
def told(client: Client) -> Client:
    """A client of a server that was told two pages."""
    links = [{"alias": "6598765432", "name": "Mrs Tan", "kind": "phone"}]
    page = {"orgId": "coolair", "path": "customers/tan.md", "markdown": TAN, "links": links}
    assert client.post("/v1/remember", **page).status == 200
    assert client.post("/v1/remember", path="wash.md", markdown=WASH).status == 200
    return client


def test_remember_answers_with_the_facts_it_wrote(client: Client) -> None:
    """200 with status, hash, edgeIds and edges: what was written can be read at once."""
    status, body, _ = client.post("/v1/remember", orgId="coolair", path="a.md", markdown=WASH)
    assert (status, body["status"], len(body["hash"])) == (200, "written", 64)
    assert [edge["id"] for edge in body["edges"]] == body["edgeIds"] != []
    assert all(map(is_edge, body["edges"]))
    assert body["edges"][0]["targetName"] == "160"
    assert client.get("/v1/current?who=Chemical%20wash").body["edges"] == body["edges"]
    again = client.post("/v1/remember", path="a.md", markdown=WASH)
    assert (again.status, again.body["status"], again.body["edges"]) == (200, "unchanged", [])


def test_remember_without_waiting(client: Client) -> None:
    """202 once the page is kept as pending; its status is at /v1/pages, and becomes written."""
    kept = client.post("/v1/remember?wait=false", path="a b/é.md", markdown=WASH)
    assert (kept.status, kept.body["status"], kept.body["edges"]) == (202, "pending", [])
    where = f"/v1/pages?path={quote('a b/é.md')}"
    until(lambda: client.get(where).body["pages"][0]["status"] == "written")
    assert len(client.get("/v1/current?who=Chemical%20wash").body["edges"]) == 1
    again = client.post("/v1/remember?wait=false", path="a b/é.md", markdown=WASH)
    assert (again.status, again.body["status"]) == (200, "unchanged")


def test_current(told: Client) -> None:
    """`who` is a phone in any writing, or a name; `orgId` and `audience` may be given."""
    for who in ("%2B65%209123%204567", "+6591234567", "91234567", "98765432", "mrs%20tan"):
        body = told.get(f"/v1/current?who={who}&orgId=coolair&audience=owner").body
        assert [edge["targetName"] for edge in body["edges"]] == ["Tampines"]
        assert all(map(is_edge, body["edges"]))
    assert told.get("/v1/current?who=nobody").body["edges"] == []


def test_history_tells_what_was(told: Client) -> None:
    """A value that was replaced names its successor; one that its page gave up is "retired"."""
    newer = "---\ndate: 2030-01-01\n---\n# Chemical wash\n\n- Quoted price: 180\n"
    told.post("/v1/remember", path="new.md", markdown=newer)
    edges = told.get("/v1/history?who=Chemical%20wash").body["edges"]
    assert all(map(is_edge, edges))
    by_value = {edge["targetName"]: edge for edge in edges}
    assert by_value["180"]["supersededBy"] is None
    assert by_value["160"]["supersededBy"] == by_value["180"]["id"]
    told.post("/v1/remember", path="wash.md", markdown="# Chemical wash\n\n- Covers: coils\n")
    edges = told.get("/v1/history?who=Chemical%20wash").body["edges"]
    assert {e["targetName"]: e["supersededBy"] for e in edges}["160"] == "retired"


def test_recall(told: Client) -> None:
    """Hits with edge and score, the smallest first, no more than topK."""
    asked = {"query": "where does Mrs Tan live", "topK": 1, "wideK": 50, "feedbackInfluence": 0.2}
    status, body, _ = told.post("/v1/recall", orgId="coolair", **asked)
    assert status == 200
    (hit,) = body["hits"]
    assert is_edge(hit["edge"])
    assert hit["edge"]["targetName"] == "Tampines"
    assert isinstance(hit["score"], float)


def test_improve_moves_a_weight_when_the_batch_is_applied(told: Client) -> None:
    """`{"ok": true}`; unknown ids are told, not refused."""
    (edge,) = told.get("/v1/current?who=Mrs%20Tan").body["edges"]
    rated = told.post("/v1/improve", edgeIds=[edge["id"], "nope"], score=5, implicit=False)
    assert rated.body == {"ok": True, "queued": 1, "unknown": ["nope"]}


def test_alias_teaches_a_word(told: Client) -> None:
    """`{"ok": true}`, and a question with the word finds what the pages say."""
    assert told.post("/v1/alias", alias="spa", canonical="chemical wash").body == {"ok": True}
    hits = told.post("/v1/recall", query="spa price").body["hits"]
    assert hits[0]["edge"]["sourceName"] == "Chemical wash"


def test_note(told: Client) -> None:
    """A dated line about someone, with the facts read from it."""
    body = told.post("/v1/note", text="Prefers: mornings", subject="Mrs Tan").body
    assert body["edges"][0]["text"] == "Mrs Tan prefers mornings"
    assert body["path"].startswith("notes/")


def test_graph(told: Client) -> None:
    """Entities, edges and counts; past edges on demand."""
    told.post("/v1/remember", path="wash.md", markdown="# Chemical wash\n\n- Quoted price: 150\n")
    body = told.get("/v1/graph?orgId=coolair").body
    assert body["orgId"] == "coolair"
    for name in ("orgId", "entityId", "displayName", "entityType"):
        assert all(isinstance(entity[name], str) for entity in body["entities"])
    assert body["counts"] == {"entities": 4, "edges": 2, "superseded": 1}
    assert (len(body["entities"]), len(body["edges"])) == (4, 2)
    assert all(map(is_edge, body["edges"]))
    past = told.get("/v1/graph?past=true").body
    assert sorted(bool(edge["supersededBy"]) for edge in past["edges"]) == [False, False, True]


def test_a_part_of_the_graph(told: Client) -> None:
    """One step around someone, or so many entities; the counts say how much there is."""
    around = told.get("/v1/graph?who=Mrs%20Tan").body
    assert {one["displayName"] for one in around["entities"]} == {"Mrs Tan", "Tampines"}
    some = told.get("/v1/graph?limit=2").body
    assert (len(some["entities"]), some["more"], some["counts"]["entities"]) == (2, 2, 4)


def test_forget(told: Client) -> None:
    """A page, a fact or an entity goes at once; exactly one is named."""
    (edge,) = told.get("/v1/current?who=Mrs%20Tan").body["edges"]
    assert told.post("/v1/forget", edgeId=edge["id"]).body["edges"] == [edge["id"]]
    assert told.get("/v1/history?who=Mrs%20Tan").body["edges"] == []
    assert told.post("/v1/forget", path="wash.md").body["pages"] == ["wash.md"]
    assert told.post("/v1/forget").status == 400


def test_pages(told: Client) -> None:
    """Every page with its status; one with its text; a path that nobody knows is an empty list."""
    listed = told.get("/v1/pages").body["pages"]
    assert [(page["path"], page["status"]) for page in listed] == [
        ("customers/tan.md", "written"), ("wash.md", "written"),
    ]  # fmt: skip
    assert told.get("/v1/pages?path=wash.md").body["pages"][0]["markdown"] == WASH
    assert told.get("/v1/pages?path=nope.md").body == {"pages": []}


def test_recent(told: Client) -> None:
    """The edges written last, newest first."""
    (edge,) = told.get("/v1/recent?limit=1").body["edges"]
    assert edge["targetName"] == "160"


def test_health(client: Client) -> None:
    """Ready when writes are possible and the model is loaded; pages not read are counted."""
    until(lambda: client.get("/health").status == 200)
    body = client.get("/health").body
    assert body["ready"] is body["writes"] is body["model"]["loaded"] is True
    assert body["pages"] == {"pending": 0, "failed": 0}


@pytest.mark.parametrize(
    ("path", "body", "names"),
    [
        ("/v1/remember", {"path": "a.md", "markdown": "# A", "audience_": "x"}, "audience_"),
        ("/v1/remember", {"path": "a.md"}, "markdown"),
        ("/v1/remember", {"path": "../a.md", "markdown": "# A"}, ".."),
        ("/v1/remember", {"path": "a.md", "markdown": " "}, "a.md"),
        ("/v1/remember", {"path": "a.md", "markdown": "# A", "links": [{"alias": ""}]}, "''"),
        ("/v1/recall", {"query": "x", "topK": 0}, "topK"),
        ("/v1/recall", {"query": "x", "feedbackInfluence": 2}, "feedbackInfluence"),
        ("/v1/improve", {"edgeIds": [], "score": 6}, "score"),
        ("/v1/improve", {"edgeIds": [], "score": True}, "score"),
        ("/v1/improve", {"edgeIds": [], "score": "5"}, "score"),
        ("/v1/improve", {"edgeIds": [], "score": 2.5}, "score"),
        ("/v1/alias", {"alias": "", "canonical": "x"}, "''"),
    ],
)  # fmt: skip
def test_bad_input_is_400_and_named(
    client: Client, path: str, body: dict[str, object], names: str
) -> None:
    """`{"error": slug, "message": text}`, and the text names what is wrong."""
    status, told, _ = client.post(path, **body)
    assert (status, set(told)) == (400, {"error", "message"})
    assert names in told["message"]
    assert told["error"] == told["error"].lower().replace(" ", "-")


def test_what_is_no_json_or_no_route(client: Client) -> None:
    """The same form of error for a body that is no JSON, an unknown path and an unknown method."""
    assert client.ask("POST", "/v1/recall", raw=b"{").body["error"] == "bad-input"
    assert client.ask("POST", "/v1/recall", raw=b'{"query": "\\ud800"}').status == 400
    assert client.get("/v1/nope").body["error"] == "not-found"
    assert client.get("/v1/recall").body["error"] == "method-not-allowed"
    assert "whom" in client.get("/v1/current?who=a&whom=b").body["message"]
