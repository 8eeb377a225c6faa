"""Generated requests to every operation of the five APIs get the replies that the OpenAPI documents describe.

Schemathesis generates requests, valid and invalid, and checks each reply: no 5xx, a documented status, the documented
content type and body. Identifiers in paths and bodies come from the sample data half of the time: otherwise almost
every reply would be 404.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, unquote

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tablewright_systems.registry import SYSTEMS, System
from tablewright_systems.web.authentication import LocalIssuer

from tablewright import Repository, connect, keyrings

ROLES = ["admin", "worker", "issuer", "mailer", "webhook", "staff"]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
ISSUER = LocalIssuer()

Known = dict[str, list[str]]


@pytest.fixture(params=SYSTEMS, ids=lambda system: str(system.name))
def system(request: pytest.FixtureRequest) -> System:
    result: System = request.param
    return result


@pytest.fixture
def db(system: System) -> Iterator[Repository]:
    secrets = keyrings.MemoryKeys()
    with connect(system.design, environment=system.environment, secrets=secrets) as opened:
        yield opened


def known_values(db: Repository) -> Known:
    """Return the texts of the stored items by the names of their attributes, as paths have them."""
    result: dict[str, set[str]] = defaultdict(set)
    for table in db.design.tables:
        for item in db.connection.call("Scan", {"TableName": db.context.table_name(table)})["Items"]:
            for name, value in item.items():
                if "S" in value:
                    result[name].add(quote(value["S"], safe=""))
    return {name: sorted(values) for name, values in result.items()}


def with_known_values(known: Known, draw: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Replace values by stored ones of the same name, half of the time, and in the first request."""
    return {
        name: draw(st.sampled_from(known[name])) if name in known and not draw(st.booleans()) else value
        for name, value in values.items()
    }


def requests_to(operation: Any, known: Known) -> st.SearchStrategy[Any]:
    texts = {name: [unquote(value) for value in values] for name, values in known.items()}

    @st.composite
    def requests(draw: Any) -> Any:
        case = draw(operation.as_strategy(generation_mode=GenerationMode.POSITIVE))
        if case.path_parameters:
            case.path_parameters = with_known_values(known, draw, case.path_parameters)
        if isinstance(case.body, dict):
            case.body = with_known_values(texts, draw, case.body)
        return case

    return requests()


@pytest.mark.parametrize("examples", [1, pytest.param(100, marks=pytest.mark.soak)])
def test_generated_requests_get_documented_replies(system: System, db: Repository, examples: int) -> None:
    system.fill(db, 3)
    app = system.build_for_development(db, ISSUER)
    app.state.stripe_secrets = ["whsec_test"]
    document = schemathesis.openapi.from_asgi("/openapi.json", app)
    known = known_values(db)
    claims: dict[str, Any] = {"email": f"{system.demo_user}@example.org", "email_verified": True}
    tokens = [ISSUER.issue(system.demo_user, **claims, roles=roles) for roles in (ROLES, [])]
    failures: dict[str, str] = {}
    for result in document.get_all_operations():
        operation: Any = result.ok()  # type: ignore[union-attr]  # an invalid document has failed before
        invalid = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
        failures |= failures_of(requests_to(operation, known), tokens, examples)
        failures |= failures_of(invalid, tokens, max(1, examples // 2))
    assert failures == {}, "\n\n".join(f"{request}: {text}" for request, text in failures.items())


def failures_of(requests: st.SearchStrategy[Any], tokens: list[str], examples: int) -> dict[str, str]:
    """Send generated requests; return those with a wrong reply."""
    failures: dict[str, str] = {}

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=examples < 10,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(case=requests, token=st.sampled_from(tokens))
    def send(case: Any, token: str) -> None:
        # A value with a slash is another path, also when the slash is quoted.
        assume(
            all(value and "/" not in unquote(str(value)) for value in (case.path_parameters or {}).values())
        )
        try:
            case.call_and_validate(headers={"Authorization": f"Bearer {token}"}, checks=CHECKS)
        except BaseExceptionGroup as failed:
            request = f"{case.method} {case.formatted_path} {case.query} {case.body}"
            failures[request] = "; ".join(str(exception) for exception in failed.exceptions)

    send()
    return failures


def test_missing_token_is_rejected_by_every_operation_that_requires_one(
    system: System, db: Repository
) -> None:
    app = system.build_for_development(db, ISSUER)
    client = TestClient(app)
    paths = app.openapi()["paths"]
    replies = {
        (method, path): client.request(method, path.replace("{", "").replace("}", "")).status_code
        for path, operations in paths.items()
        for method, operation in operations.items()
        if operation.get("security") and {} not in operation["security"]
    }
    assert {key: status for key, status in replies.items() if status != 401} == {}
    assert len(replies) > 20
