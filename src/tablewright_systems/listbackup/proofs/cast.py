"""Who plays in the proofs and tests: people with accounts, members, connected sources."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from tablewright import Repository
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.accounts import Account, AccountType, Plan
from tablewright_systems.listbackup.design.memberships import AccountRole, Permissions
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.service.access import get_account
from tablewright_systems.listbackup.service.accounts import hierarchy, limits
from tablewright_systems.listbackup.service.sources import oauth
from tablewright_systems.listbackup.service.sources.platforms import Platform, Sandbox
from tablewright_systems.listbackup.service.users import invitations, users

STAFF = Caller("staff", {"roles": ["admin", "worker"]})
REDIRECT_URI = "https://api.listbackup.ai/oauth/callback"


def fresh(prefix: str) -> str:
    """A name that nobody has."""
    return f"{prefix}-{secrets.token_hex(6)}"


def somebody() -> Caller:
    """Somebody who has not signed up."""
    name = fresh("user")
    return Caller(name, {"email": f"{name}@example.org"})


def founder(db: Repository, plan: Plan = Plan.ENTERPRISE) -> tuple[Caller, Account]:
    """Somebody with an account of their own, and the account."""
    caller = somebody()
    user = users.sign_up(db, caller, username=caller.user_id, name="Ada", account_name=fresh("account"))
    assert user.account_id is not None
    return caller, limits.change_plan(db, caller, user.account_id, plan)


def member(
    db: Repository,
    owner: Caller,
    account_id: str,
    role: AccountRole = AccountRole.MEMBER,
    permissions: Permissions | None = None,
) -> Caller:
    """Another member of an account."""
    caller, _ = founder(db)
    invitations.invite(db, owner, account_id, str(caller.claim("email")), role, permissions)
    invitations.accept(db, caller, account_id)
    return caller


def tree(db: Repository, owner: Caller, top: Account) -> list[Account]:
    """A subsidiary, a division and a location, each below the one before."""
    found = []
    parent = top
    for kind in (AccountType.SUBSIDIARY, AccountType.DIVISION, AccountType.LOCATION):
        parent = hierarchy.create_child(
            db, owner, parent.account_id, account_name=kind.value, account_type=kind
        )
        found.append(parent)
    return found


def reread(db: Repository, account: Account) -> Account:
    """An account as it is now."""
    return get_account(db, account.account_id)


def connected(
    db: Repository,
    caller: Caller,
    account_id: str,
    platform: str = "keap",
    outside: Platform | None = None,
) -> Source:
    """A source that was connected by OAuth."""
    asked = oauth.start(db, caller, account_id, platform, redirect_uri=REDIRECT_URI)
    return oauth.callback(
        db, caller, outside or Sandbox(), state=asked.state, code="code", redirect_uri=REDIRECT_URI
    )


@contextmanager
def refused(*kinds: type[Exception], field: str | None = None) -> Iterator[None]:
    """Within, one of these is raised, and names the field if one is given; nothing else will do."""
    try:
        yield
    except kinds as refusal:
        named = getattr(refusal, "field", None)
        assert field is None or named == field, f"the refusal names {named}, not {field}"
        return
    raise AssertionError(f"nothing was refused; expected {' or '.join(kind.__name__ for kind in kinds)}")
