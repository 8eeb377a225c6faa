"""Policy evaluation: whether the policies of a caller and of a resource allow a request.

AWS's rules, in their order:

1. A statement that denies, in any policy, decides.
2. In the account of the resource, one policy that allows is sufficient: of the caller, or of the resource. A resource
   policy that names only the account leaves the decision to the policies of the caller.
3. From another account, both must allow.
4. A permissions boundary limits what the policies of the caller, and a resource policy that names its role, allow.
5. What no policy allows is denied.
"""

from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.policies.policy_documents import Effect, PolicyDocument
from tablewright.dynamodb.policies.principals import Grant, Principal, RequestContext


@dataclass(frozen=True, slots=True)
class Caller:
    """A principal with its policies."""

    principal: Principal
    policies: tuple[PolicyDocument, ...] = ()
    boundary: PolicyDocument | None = None


@dataclass(frozen=True, slots=True)
class Permission:
    """What a request needs: an action on a resource, with the condition keys of the request."""

    action: str
    resource: str
    context: RequestContext
    """The condition keys, without those of the caller."""

    @property
    def account(self) -> str:
        """The account of the resource; empty if the resource has none."""
        parts = self.resource.split(":", 5)
        return parts[4] if len(parts) == 6 else ""


@dataclass(frozen=True, slots=True)
class Denial:
    """Why a request is denied, in AWS's words."""

    principal: Principal
    permission: Permission
    reason: str

    @property
    def message(self) -> str:
        """The message of AccessDeniedException."""
        need = self.permission
        return (
            f"User: {self.principal.arn} is not authorized to perform: {need.action} on resource: {need.resource} "
            f"{self.reason}"
        )


def decide(caller: Caller, need: Permission, resource_policy: PolicyDocument | None = None) -> Denial | None:
    """The denial of a request, or None if it is allowed.

    >>> need = Permission("dynamodb:Scan", "arn:aws:dynamodb:us-east-1:123456789012:table/t", RequestContext({}))
    >>> decide(Caller(Principal("user", "ada")), need).reason
    'because no identity-based policy allows the dynamodb:Scan action'
    """
    principal = caller.principal
    context = need.context.merged(principal.condition_keys())
    kinds = {
        "an identity-based policy": caller.policies,
        "a permissions boundary": (caller.boundary,) if caller.boundary else (),
        "a resource-based policy": (resource_policy,) if resource_policy else (),
    }

    def grant(effect: Effect, documents: tuple[PolicyDocument, ...]) -> Grant:
        grants = (
            document.grant(effect, principal, need.action, need.resource, context) for document in documents
        )
        return max(grants, default=Grant.NONE)

    for kind, documents in kinds.items():
        if grant("Deny", documents):
            return Denial(principal, need, f"with an explicit deny in {kind}")
    by_identity = bool(grant("Allow", caller.policies))
    is_within = caller.boundary is None or bool(grant("Allow", (caller.boundary,)))
    by_resource = grant("Allow", kinds["a resource-based policy"])
    if need.account not in ("", principal.account):
        missing = "" if by_resource else "resource-based policy"
        missing = missing if by_identity else "identity-based policy"
    elif by_resource is Grant.ITSELF or (by_resource is Grant.ROLE and is_within):
        return None
    else:
        missing = "" if by_identity else "identity-based policy"
    if not missing and not is_within:
        missing = "permissions boundary"
    return (
        Denial(principal, need, f"because no {missing} allows the {need.action} action") if missing else None
    )
