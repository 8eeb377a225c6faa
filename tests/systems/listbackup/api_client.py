"""Who asks the API."""

from collections.abc import Callable
from typing import Any

from fastapi.testclient import TestClient
from httpx import Response

from tablewright_systems.authentication import Caller, LocalIssuer
from tablewright_systems.listbackup.design.accounts import Account


class ApiClient:
    """Somebody with a token."""

    def __init__(self, client: TestClient, issuer: LocalIssuer, caller: Caller) -> None:
        self.caller = caller
        self._client = client
        token = issuer.issue(caller.user_id, **caller.claims)
        self._headers = {"authorization": f"Bearer {token}", "user-agent": "Test/1"}

    def send(self, method: str, path: str, /, **body: Any) -> Response:
        """The reply, whatever it is."""
        reply: Response = self._client.request(method, path, headers=self._headers, json=body or None)
        return reply

    def call(self, method: str, path: str, status: int = 200, /, **body: Any) -> Any:
        """The body of the reply, which must have that status."""
        reply = self.send(method, path, **body)
        assert reply.status_code == status, reply.text
        return reply.json() if reply.content else None

    def rejected_field(self, method: str, path: str, status: int, /, **body: Any) -> str | None:
        """The field that the refusal names; it must have that status."""
        field: str | None = self.call(method, path, status, **body)["error"]["field"]
        return field


NewOwner = Callable[..., tuple[ApiClient, Account]]
"""Makes somebody with an account of their own, and the account."""
