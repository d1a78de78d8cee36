"""docs/http.md and docs/graph-page.md name all there is."""

from __future__ import annotations

from pathlib import Path

from cloudnee.doors.http_wire import EdgeTold
from tests.http.conftest import Client

DOCS = Path(__file__).parents[2] / "docs"


def test_every_route_field_and_status_is_documented(client: Client) -> None:
    """What OpenAPI has, the page has: routes, what bodies take, edges, statuses."""
    text = (DOCS / "http.md").read_text("utf-8")
    described = client.get("/openapi.json").body
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert f"`{method.upper()} {path}`" in text
            assert set(operation["responses"]) <= {"200", "202"} | {
                status for status in operation["responses"] if status in text
            }
    for name, model in described["components"]["schemas"].items():
        if name.endswith("Asked"):
            assert not [field for field in model["properties"] if field not in text]
    assert not [one.alias for one in EdgeTold.model_fields.values() if str(one.alias) not in text]


def test_the_page_s_keys_are_documented() -> None:
    """Every key that the page listens to."""
    text = (DOCS / "graph-page.md").read_text("utf-8")
    for key in ("`/`", "`Enter`", "`e`", "`+`", "`-`", "`0`", "`n`", "`Esc`"):
        assert key in text
