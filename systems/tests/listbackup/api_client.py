"""A client of the API with a token."""

from collections.abc import Callable
from typing import Any

from fastapi.testclient import TestClient
from httpx import Response
from tablewright_systems.listbackup.design.accounts import Account
from tablewright_systems.service.callers import Caller
from tablewright_systems.web.authentication import LocalIssuer


class ApiClient:
    """A caller with a token."""

    def __init__(self, client: TestClient, issuer: LocalIssuer, caller: Caller) -> None:
        self.caller = caller
        self._client = client
        token = issuer.issue(caller.user_id, **caller.claims)
        self._headers = {"authorization": f"Bearer {token}", "user-agent": "Test/1"}

    def send(self, method: str, path: str, /, **body: Any) -> Response:
        """Send a request and return the reply, whatever its status."""
        return self.send_with({}, method, path, **body)

    def send_with(self, headers: dict[str, str], method: str, path: str, /, **body: Any) -> Response:
        """Send a request with additional headers and return the reply, whatever its status."""
        headers = self._headers | headers
        reply: Response = self._client.request(method, path, headers=headers, json=body or None)
        return reply

    def call(self, method: str, path: str, status: int = 200, /, **body: Any) -> Any:
        """Send a request and return the body of the reply, which must have that status."""
        reply = self.send(method, path, **body)
        assert reply.status_code == status, reply.text
        return reply.json() if reply.content else None

    def rejected_field(self, method: str, path: str, status: int, /, **body: Any) -> str | None:
        """Send a request that is rejected with that status, and return the field that the error names."""
        field: str | None = self.call(method, path, status, **body).get("field")
        return field


NewOwner = Callable[..., tuple[ApiClient, Account]]
"""Creates an owner with an account."""
