"""Proofs of users: reading them, sign-up, the primary account, the second factor."""

from tablewright import errors
from tablewright_systems.listbackup.design.memberships import AccountsOfUser, Membership
from tablewright_systems.listbackup.design.users import UserByEmail, UserById, UserByUsername
from tablewright_systems.listbackup.proofs.fixtures import new_caller, new_member, new_owner
from tablewright_systems.listbackup.service.users import memberships, mfa, users
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Invalid
from tablewright_systems.verification.proofs import ProofContext, Proofs
from tablewright_systems.verification.rejections import expect_error

PROOFS = Proofs("listbackup")


@PROOFS("A1", "001:609")
def user_by_id(context: ProofContext) -> None:
    """Get user by ID."""
    ada, _ = new_owner(context.db)
    with context.measured():
        found = context.db.run(UserById(user_id=ada.user_id))
    assert found is not None
    assert found.email == ada.claim("email")


@PROOFS("A2", "001:610")
def user_by_email(context: ProofContext) -> None:
    """Get user by email, in any case and with surrounding spaces."""
    ada, _ = new_owner(context.db)
    typed = f"  {str(ada.claim('email')).upper()} "
    context.eventually(lambda: context.db.run(UserByEmail(email=typed)))
    with context.measured():
        found = context.db.run(UserByEmail(email=typed))
    assert found == users.own_user(context.db, ada)


@PROOFS("A3", "001:611")
def user_by_username(context: ProofContext) -> None:
    """Get user by username, in any case."""
    ada, _ = new_owner(context.db)
    typed = ada.user_id.upper()
    context.eventually(lambda: context.db.run(UserByUsername(username=typed)))
    with context.measured():
        found = context.db.run(UserByUsername(username=typed))
    assert found == users.own_user(context.db, ada)


@PROOFS("F1", "001:34")
def sign_up(context: ProofContext) -> None:
    """Sign up with a unique email and username, and a new account."""
    ada, eve = new_caller(), new_caller()
    name = ada.user_id
    with context.measured():
        user = users.sign_up(context.db, ada, username=f" {name.upper()}", name="Ada", account_name="Ada's")
    assert (user.username, user.display_username) == (name, name.upper())
    membership = context.db.run(Membership(user_id=ada.user_id, account_id=user.account_id or ""))
    assert membership is not None
    with expect_error(errors.UniqueViolation, field="username"):
        users.sign_up(context.db, eve, username=name, name="Eve", account_name="Eve's")
    twin = Caller(eve.user_id, {"email": str(ada.claim("email")).title(), "email_verified": True})
    with expect_error(errors.UniqueViolation, field="email"):
        users.sign_up(context.db, twin, username=eve.user_id, name="Eve", account_name="Eve's")
    assert context.db.all(AccountsOfUser(user_id=eve.user_id)) == []


@PROOFS("F4", "001:37")
def primary_account(context: ProofContext) -> None:
    """Change the primary account to one of the user's accounts; it is replaced when the membership ends."""
    ada, account = new_owner(context.db)
    bob = new_member(context.db, ada, account.account_id)
    own = users.own_user(context.db, bob).account_id
    with context.measured():
        user = users.choose_primary_account(context.db, bob, account.account_id)
    assert user.account_id == account.account_id
    _, foreign = new_owner(context.db)
    with expect_error(Conflict, field="accountId"):
        users.choose_primary_account(context.db, bob, foreign.account_id)
    memberships.remove_member(context.db, ada, account.account_id, bob.user_id)
    assert users.own_user(context.db, bob).account_id == own


@PROOFS("F13", "001:47")
def second_factor(context: ProofContext) -> None:
    """Activate a second factor with a code; its secret is encrypted."""
    ada, _ = new_owner(context.db)
    secret = mfa.start_mfa(context.db, ada)
    with expect_error(Invalid, field="code"):
        mfa.confirm_mfa(context.db, ada, "no code")
    with context.measured():
        user = mfa.confirm_mfa(context.db, ada, mfa.totp(secret, context.db.now().timestamp()))
    assert user.mfa_enabled
    assert secret not in repr(user)
