"""Who may come in, as whom, and from where."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from cloudnee.doors.http_desk import Settings
from cloudnee.doors.http_serve import serve as serve_on
from cloudnee.errors import BadInput
from cloudnee.store.database import Database
from cloudnee.store.keys import Keys
from tests.engine.conftest import WordEmbedder
from tests.http.conftest import TAN, WASH, Answer, Client, Serve


def test_without_any_key_the_given_audience_is_served(serve: Serve) -> None:
    """The public of the server's org: it sees what is public, and writes no page."""
    owner, public = serve(), serve(audience="public")
    owner.post("/v1/remember", path="wash.md", markdown=WASH)
    owner.post("/v1/remember", path="customers/tan.md", markdown=TAN)
    assert [page["path"] for page in public.get("/v1/pages").body["pages"]] == ["wash.md"]
    assert public.post("/v1/remember", path="x.md", markdown=WASH).status == 403
    assert public.get("/v1/graph").body["mayWrite"] is False


def test_a_key_fixes_org_and_audience(serve: Serve, keyed: Callable[..., str]) -> None:
    """What it was made for is what it opens; a request may narrow that and nothing else."""
    server = serve(audience="public")
    owner = Client(server.address, keyed())
    public = Client(server.address, keyed(audience="public"))
    other = Client(server.address, keyed(org="rival"))
    owner.post("/v1/remember", path="customers/tan.md", markdown=TAN)
    assert len(owner.get("/v1/current?who=91234567").body["edges"]) == 1
    assert owner.get("/v1/current?who=91234567&audience=public").body["edges"] == []
    assert public.get("/v1/current?who=91234567").body["edges"] == []
    assert other.get("/v1/pages").body["pages"] == []
    for refused in (
        public.get("/v1/pages?audience=owner"),
        public.get("/v1/pages?audience=nobody"),
        other.get("/v1/pages?orgId=coolair"),
        public.post("/v1/recall", query="x", orgId="rival"),
        owner.post("/v1/remember", path="a.md", markdown="# A", orgId="rival"),
    ):
        assert (refused.status, refused.body["error"]) == (403, "forbidden")


def test_what_may_not_be_is_told_alike(serve: Serve, keyed: Callable[..., str]) -> None:
    """An audience that sees more and one that does not exist get the same words."""
    public = Client(serve().address, keyed(audience="public"))
    more = public.get("/v1/pages?audience=owner").body["message"]
    none = public.get("/v1/pages?audience=other").body["message"]
    assert more.replace("owner", "other") == none


def test_with_keys_nobody_comes_in_without_one(serve: Serve, keyed: Callable[..., str]) -> None:
    """No key, a wrong one, another scheme, a revoked one: 401, at once and in every process."""
    server = serve()
    assert server.get("/v1/pages").status == 200
    key = keyed()
    assert server.get("/v1/pages").status == 401
    for sent in ("Bearer nope", f"Basic {key}", "Bearer", f"bearer  {key}x", "Bearer \xe9"):
        answer = server.get("/v1/pages", Authorization=sent)
        assert (answer.status, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert key not in answer.body["message"]
    assert Client(server.address, key).get("/v1/pages").status == 200


def test_a_revoked_key_is_out(serve: Serve, keyed: Callable[..., str], file: Path) -> None:
    """And the server does not fall back to serving everybody."""
    server, key = serve(), keyed()
    database = Database(file)
    assert Keys(database).revoke(1, now=1)
    assert not Keys(database).revoke(1, now=2)
    database.close()
    assert Client(server.address, key).get("/v1/pages").status == 401
    assert server.get("/v1/pages").status == 401


def test_a_key_is_kept_as_a_hash(keyed: Callable[..., str], file: Path) -> None:
    """Its text is nowhere in the file."""
    key = keyed()
    held = b"".join(one.read_bytes() for one in file.parent.glob("desk.db*"))
    assert b"test" in held
    assert key.encode() not in held
    assert key.removeprefix("cn_").encode() not in held


def test_a_reading_key_changes_nothing(serve: Serve, keyed: Callable[..., str]) -> None:
    """Every route that writes refuses it, ratings included."""
    reader = Client(serve().address, keyed(read_only=True))
    assert reader.get("/v1/pages").status == 200
    assert reader.post("/v1/recall", query="x").status == 200
    for refused in (
        reader.post("/v1/remember", path="a.md", markdown=WASH),
        reader.post("/v1/note", text="x", subject="y"),
        reader.post("/v1/improve", edgeIds=["x"], score=5),
        reader.post("/v1/alias", alias="x", canonical="y"),
        reader.post("/v1/forget", path="a.md"),
    ):
        assert refused.status == 403
        assert "only reads" in refused.body["message"]
    assert reader.get("/v1/graph").body["mayRate"] is False


@pytest.mark.parametrize(
    "host", ["evil.test", "evil.test:80", "127.0.0.1.evil.test", "", "localhost@evil.test", "a b"]
)
def test_another_host_name_is_refused(client: Client, host: str) -> None:
    """A name that someone's DNS points here is not this server's; with or without a key."""
    for path in ("/v1/pages", "/health", "/brain/", "/openapi.json"):
        assert client.get(path, Host=host).status in (400, 403)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8000"])
def test_own_names_are_known(client: Client, host: str) -> None:
    """Loopback by name and address, with any port."""
    assert client.get("/v1/pages", Host=host).status == 200


def test_a_name_can_be_allowed(serve: Serve) -> None:
    """As behind a proxy."""
    client = serve(hosts=frozenset({"desk.example"}))
    assert client.get("/v1/pages", Host="desk.example").status == 200
    assert client.get("/v1/pages", Host="other.example").status == 403


@pytest.mark.parametrize("origin", ["http://evil.test", "null", "http://127.0.0.1:1", "x"])
def test_a_foreign_site_may_not_ask(client: Client, origin: str) -> None:
    """Any other origin is refused, and no answer invites one."""
    refused = client.ask("POST", "/v1/recall", {"query": "x"}, headers={"Origin": origin})
    assert refused.status == 403
    preflight = client.ask("OPTIONS", "/v1/recall", headers={"Origin": origin})
    for answer in (refused, preflight):
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_the_own_site_may_ask(client: Client) -> None:
    """The page that the server itself serves."""
    assert client.get("/v1/pages", Origin=client.address).status == 200


def test_only_loopback_without_a_key(file: Path, keyed: Callable[..., str]) -> None:
    """A server that others can reach does not start before there is a key."""
    open_to_all = socket.create_server(("0.0.0.0", 0))
    with pytest.raises(BadInput, match="only loopback"):
        serve_on(Settings(str(file), embedder=WordEmbedder()), open_to_all)
    assert open_to_all.fileno() == -1


def test_health_without_a_key_tells_of_no_page(serve: Serve, keyed: Callable[..., str]) -> None:
    """A probe sees whether the server is ready, and no count of anybody's pages."""
    server, key = serve(), keyed()
    assert "pages" not in server.get("/health").body
    assert "pages" in Client(server.address, key).get("/health").body


# one hidden fact, asked for at every route

HIDDEN = (
    "---\nname: Zanzibar\nphone: '+65 8111 2222'\n---\n# Zanzibar\n\n- Lives in: Sesame Street\n"
)
SHARED = "# Chemical wash\n\n- Quoted price: 150\n- Asked by: [[Zanzibar]]\n"
SECRETS = ("zanzibar", "sesame", "8111", "hidden.md")


def asked(client: Client) -> list[Answer]:
    """Every question of the API that a hidden fact could answer."""
    (shown,) = client.get("/v1/current?who=Chemical%20wash").body["edges"]
    return [
        *(
            client.get(f"/v1/{verb}?who={who}")
            for verb in ("current", "history", "graph")
            for who in ("Zanzibaa", "81112222", "Chemical%20wash", "Sesame", "street")
        ),
        *(client.post("/v1/recall", query=q) for q in ("who lives in a street", "wash asked by")),
        *(client.get(f"/v1/{path}") for path in ("graph", "graph?past=true", "pages", "recent")),
        client.get("/v1/pages?path=notes/secret.md"),
        client.post("/v1/improve", edgeIds=[shown["id"]], score=3),
        client.get("/health"),
        client.get("/openapi.json"),
    ]


def test_a_hidden_fact_never_comes_out(serve: Serve, keyed: Callable[..., str]) -> None:
    """Not by hit, count, order, entity, graph, passage, page or error."""
    server = serve(audience="public")
    owner = Client(server.address, keyed())
    public = Client(server.address, keyed(audience="public"))
    owner.post("/v1/remember", path="wash.md", markdown=WASH)
    before = asked(public)
    owner.post("/v1/remember", path="customers/hidden.md", markdown=HIDDEN)
    owner.post("/v1/remember", path="private/wash.md", markdown=SHARED)
    hidden = owner.get("/v1/history?who=Zanzibar").body["edges"]
    for answer in asked(public):
        assert answer.status == 200
        assert not [secret for secret in SECRETS if secret in str(answer.body).casefold()]
    assert [answer.body for answer in asked(public)] == [answer.body for answer in before]
    for edge in hidden:
        rated = public.post("/v1/improve", edgeIds=[edge["id"]], score=1).body
        assert rated["unknown"] == [edge["id"]]
    gone = public.post("/v1/forget", path="customers/hidden.md")
    none = public.post("/v1/forget", path="customers/nobody.md")
    assert gone.status == none.status == 403
    assert gone.body["message"].replace("hidden", "nobody") == none.body["message"]
    assert len(owner.get("/v1/current?who=81112222").body["edges"]) == 2


def test_names_are_text(client: Client) -> None:
    """Markup, a property name and SQL are ordinary names, and come back as they are."""
    for at, name in enumerate(
        ["<img src=x onerror=alert(1)>", "__proto__", "'; DROP TABLE edges; --"]
    ):
        text = f"- Note: a page\n\n- sells [[{name}]]\n"
        page = f"---\nname: Shop {at}\n---\n{text}"
        (edge,) = client.post("/v1/remember", path=f"{at}.md", markdown=page).body["edges"]
        assert edge["targetName"] == name
    assert client.get("/v1/graph").body["counts"]["edges"] == 3
