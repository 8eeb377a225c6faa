"""What endpoints take from their requests."""

import pytest
from fastapi.dependencies.utils import get_dependant
from starlette.requests import Request
from tablewright_systems.web import Actor, CurrentCaller, OptionalCaller
from tablewright_systems.web.requests import client_network, requires_caller


@pytest.mark.parametrize(
    ("client", "network"),
    [
        (("192.0.2.7", 5000), "192.0.2.7"),
        (("2001:db8:1:2:3:4:5:6", 5000), "2001:db8:1:2::/64"),
        (("::ffff:192.0.2.7", 5000), "192.0.2.7"),
        (("testclient", 5000), "testclient"),
        (None, "unknown"),
    ],
)
def test_network_of_a_client(client: tuple[str, int] | None, network: str) -> None:
    assert client_network(Request({"type": "http", "client": client, "headers": []})) == network


def test_endpoints_that_require_a_token() -> None:
    def own(caller: CurrentCaller) -> None: ...
    def audited(actor: Actor) -> None: ...
    def optional(caller: OptionalCaller) -> None: ...
    def open_to_all() -> None: ...

    found = [
        requires_caller(get_dependant(path="/", call=each)) for each in (own, audited, optional, open_to_all)
    ]
    assert found == [True, True, False, False]
