"""The app against its own OpenAPI: every answer is as described, whatever is sent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from cloudnee.doors.http_desk import Settings
from tests.engine.conftest import WordEmbedder
from tests.http.conftest import TAN, Client, running

CHECKED = [
    CHECKS.get_one("not_a_server_error"),
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that knows one page."""
    file = tmp_path_factory.mktemp("schema") / "desk.db"
    options = {"org": "coolair", "audience": "owner", "region": "SG"}
    with running(Settings(str(file), embedder=WordEmbedder(), **options)) as address:
        Client(address).post("/v1/remember", path="customers/tan.md", markdown=TAN)
        yield address


MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


def test_every_answer_is_as_described(address: str) -> None:
    """No 500; status, content type and body are in OpenAPI; what is wrong is refused."""
    schema = schemathesis.openapi.from_dict(Client(address).get("/openapi.json").body)
    found = [result.ok() for result in schema.get_all_operations()]
    assert {operation.path for operation in found} >= {"/v1/remember", "/v1/current", "/health"}
    for operation in found:
        for mode in MODES if operation.path != "/health" else MODES[:1]:

            @seed(7)
            @settings(
                max_examples=10, deadline=None, database=None,
                suppress_health_check=list(HealthCheck), phases=[Phase.generate],
            )  # fmt: skip
            @given(case=operation.as_strategy(generation_mode=mode))
            def answers(case: schemathesis.Case) -> None:
                case.call_and_validate(
                    base_url=address, checks=CHECKED, headers={"Origin": address}
                )

            answers()


def test_every_route_is_described_with_an_example(address: str) -> None:
    """Each body has examples that the server takes, and each field of the wire is named."""
    described = Client(address).get("/openapi.json").body
    Draft202012Validator.check_schema(described["components"]["schemas"]["RememberAsked"])
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"] or operation["description"], (path, method)
            assert "422" not in operation["responses"]
    for name, model in described["components"]["schemas"].items():
        for field, told in model.get("properties", {}).items():
            if name.endswith("Asked") and field in model.get("required", ()):
                assert "examples" in told, (name, field)
