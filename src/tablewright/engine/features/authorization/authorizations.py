"""Authorizations: a caller with the facts of its request, and the check of everything that the request needs.

The check runs in the session of the request, after the request is validated and before it is run, so that the table and
its policy cannot change in between.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import Any

from tablewright.dynamodb.policies import Caller, Permission, PolicyDocument, decide, parse_document
from tablewright.engine.core.requests.arns import ACCOUNT, parse_arn
from tablewright.engine.core.sessions import Reading
from tablewright.engine.features.authorization.required_permissions import REQUIRED
from tablewright.errors import AccessDenied

ADMINISTRATOR = parse_document(
    {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}
)
"""The policy that allows everything."""

Run = Callable[[Any, Any], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Authorization:
    """A caller, and where its request comes from."""

    caller: Caller
    source_ip: str = ""
    user_agent: str = ""

    def authorized(self, operation: str, raw: dict[str, Any], run: Run) -> Run:
        """The function that runs an operation if its caller is allowed to; otherwise it raises AccessDenied."""
        return partial(self._run, operation, raw, run)

    def _run(self, operation: str, raw: dict[str, Any], run: Run, tx: Reading, parsed: Any) -> dict[str, Any]:
        if operation == "BatchExecuteStatement":
            return run(tx, self._without_denied(tx, raw, parsed))
        if operation not in REQUIRED:
            raise AccessDenied(f"The permissions of {operation} are not known, so it is denied")
        for need in REQUIRED[operation](tx, raw, parsed):
            if need is not None and (message := self.denial(tx, need)) is not None:
                # Not stored in a variable: the exception and this frame would refer to each other.
                raise AccessDenied(message)
        return run(tx, parsed)

    def _without_denied(self, tx: Reading, raw: dict[str, Any], parsed: Any) -> Any:
        """A batch of statements, each denied one replaced by its error: the others are still executed."""
        needs = REQUIRED["BatchExecuteStatement"](tx, raw, parsed)
        entries = []
        for entry, need in zip(parsed.entries, needs, strict=True):
            message = None if need is None else self.denial(tx, need)
            entries.append(entry if message is None else entry._replace(statement=AccessDenied(message)))
        return parsed._replace(entries=entries)

    def denial(self, tx: Reading, need: Permission) -> str | None:
        """The message for a permission that the caller does not have; None if it has."""
        of_resource = resource_policy(tx, need.resource)
        if of_resource is None and self._is_administrator:
            return None
        context = need.context.merged(self._keys(tx))
        denial = decide(self.caller, Permission(need.action, need.resource, context), of_resource)
        return None if denial is None else denial.message

    @property
    def _is_administrator(self) -> bool:
        caller = self.caller
        return (
            caller.policies == (ADMINISTRATOR,)
            and caller.boundary is None
            and caller.principal.account == ACCOUNT
        )

    def _keys(self, tx: Reading) -> dict[str, str]:
        now = tx.now()
        keys = {
            "aws:CurrentTime": datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "aws:EpochTime": str(int(now)),
            "aws:SecureTransport": "false",
            "aws:RequestedRegion": tx.state.region,
            "aws:ResourceAccount": ACCOUNT,
            "aws:SourceIp": self.source_ip,
            "aws:UserAgent": self.user_agent,
        }
        return {name: value for name, value in keys.items() if value}


def resource_policy(tx: Reading, arn: str) -> PolicyDocument | None:
    """The policy of a table, which holds for its indexes too, or of a stream; None without one."""
    parts = parse_arn(arn)
    if parts is None or parts.service != "dynamodb" or not parts.resource.startswith("table/"):
        return None
    _, name, *rest = parts.resource.split("/")
    table = tx.state.catalog.find(name)
    policies = None if table is None else table.definition.get("Policies")
    if not policies:
        return None
    place = arn if rest[:1] == ["stream"] else ""
    text = policies.get(place, {}).get("Policy")
    return None if text is None else _parsed(text)


@lru_cache(maxsize=256)
def _parsed(text: str) -> PolicyDocument:
    return parse_document(text, of_resource=True)
