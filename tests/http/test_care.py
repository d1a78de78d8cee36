"""What the server does by itself: it reads what waits, and applies ratings."""

from __future__ import annotations

from cloudnee import Memory
from tests.engine.conftest import WordEmbedder
from tests.http.conftest import WASH, Client, Serve, until


class Moody(WordEmbedder):
    """Cannot embed until it is told to."""

    well = False

    def embed(self, texts):  # type: ignore[no-untyped-def]
        if not self.well:
            raise OSError("no model")
        return super().embed(texts)


def test_ratings_are_applied_by_and_by(serve: Serve, memory: Memory) -> None:
    """Each round takes in what waits: a 5 moves the weight from .5 to .55."""
    memory.remember("wash.md", WASH)
    (edge,) = memory.read_current("Chemical wash").edges
    client = serve(care_every=0.05)
    assert client.post("/v1/improve", edgeIds=[edge.id], score=5).status == 200
    until(lambda: memory.read_current("Chemical wash").edges[0].feedback_weight == 0.55)


def test_failed_pages_are_tried_again(serve: Serve) -> None:
    """When the model is well again, the next round reads them."""
    model = Moody()
    client = serve(embedder=model, care_every=0.05)
    body = client.post("/v1/remember", path="wash.md", markdown=WASH).body
    assert (body["status"], body["edges"]) == ("failed", [])
    assert client.get("/health").body["pages"]["failed"] == 1
    model.well = True
    until(lambda: client.get("/health").body["pages"]["failed"] == 0)
    assert len(client.get("/v1/current?who=Chemical%20wash").body["edges"]) == 1


def test_what_waited_when_the_server_stopped_is_read_at_its_start(
    serve: Serve, memory: Memory
) -> None:
    """A page kept by another process, or before a stop, does not wait for the hour."""
    memory.keep("wash.md", WASH)
    client = serve()
    until(lambda: client.get("/v1/pages").body["pages"][0]["status"] == "written")


def test_many_kept_at_once_are_all_read(client: Client) -> None:
    """None is forgotten while others are read."""
    for at in range(30):
        text = f"# Shop {at}\n\n- Sells: [[Filter {at}]]\n"
        assert client.post("/v1/remember?wait=false", path=f"{at}.md", markdown=text).status == 202
    until(lambda: client.get("/health").body["pages"] == {"pending": 0, "failed": 0})
    assert client.get("/v1/graph").body["counts"]["edges"] == 30


def test_a_kept_page_keeps_its_date_and_handles(client: Client) -> None:
    """What was given beside the text is there when the page is read."""
    links = [{"alias": "98765432", "name": "", "kind": "phone"}]
    page = {"path": "wash.md", "markdown": WASH, "links": links, "asOf": "2026-01-02"}
    assert client.post("/v1/remember?wait=false", **page).status == 202
    until(lambda: client.get("/v1/current?who=98765432").body["edges"])
    (edge,) = client.get("/v1/current?who=98765432").body["edges"]
    assert edge["asOf"] // 86_400_000 == 20_455  # days from 1970 to that day
