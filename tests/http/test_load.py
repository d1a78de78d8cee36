"""Many at once."""

from __future__ import annotations

import threading

from tests.http.conftest import Client, Serve
from tests.soak.http import Load


def test_fifty_readers_and_five_writers(client: Client) -> None:
    """Five seconds on loopback: no error, and every write is readable at once."""
    load = Load(client.address, 5)
    load.run()
    assert load.wrong == []
    assert load.written > 10
    assert len(load.reads) > 50


def test_writers_of_one_page_agree(client: Client) -> None:
    """Twenty at once: each is told that it wrote, or that others were faster; one text stands."""
    answers: list[int] = []

    def write(number: int) -> None:
        text = f"# Wash\n\n- Quoted price: {number}\n"
        answers.append(client.post("/v1/remember", path="wash.md", markdown=text).status)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(answers) <= {200, 409}
    assert 200 in answers
    (edge,) = client.get("/v1/current?who=Wash").body["edges"]
    text = client.get("/v1/pages?path=wash.md").body["pages"][0]["markdown"]
    assert f": {edge['targetName']}\n" in text


def test_two_servers_on_one_file_agree(serve: Serve) -> None:
    """What one wrote, the other reads at once."""
    first, second = serve(), serve()
    for number in range(10):
        text = f"# Wash\n\n- Quoted price: {number + 100}\n"
        assert first.post("/v1/remember", path="wash.md", markdown=text).status == 200
        (edge,) = second.get("/v1/current?who=Wash").body["edges"]
        assert edge["targetName"] == str(number + 100)
        hits = second.post("/v1/recall", query="price of the wash").body["hits"]
        assert hits[0]["edge"]["targetName"] == str(number + 100)
