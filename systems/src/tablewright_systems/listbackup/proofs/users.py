"""Proofs of users: reading them, sign-up, the primary account, the second factor, sessions."""

from datetime import timedelta

from tablewright import errors
from tablewright_systems.listbackup.design.memberships import AccountsOfUser, Membership
from tablewright_systems.listbackup.design.sessions import RefreshTokenOf, SessionsOfUser, TokensOfFamily
from tablewright_systems.listbackup.design.users import UserByEmail, UserById, UserByUsername
from tablewright_systems.listbackup.proofs.fixtures import new_caller, new_member, new_owner
from tablewright_systems.listbackup.service import accounts, memberships, mfa, sessions, users
from tablewright_systems.listbackup.service.access import SecondFactorRequired
from tablewright_systems.service import Caller, Conflict, Invalid, Unauthenticated
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("listbackup")


@PROOFS("A1")
def user_by_id(context: ProofContext) -> None:
    """Get user by ID."""
    ada, _ = new_owner(context.db)
    with context.measured():
        user = context.db.run(UserById(user_id=ada.user_id))
    assert user is not None
    assert user.email == ada.claim("email")


@PROOFS("A2")
def user_by_email(context: ProofContext) -> None:
    """Get user by email, in any case and with surrounding spaces."""
    ada, _ = new_owner(context.db)
    typed = f"  {str(ada.claim('email')).upper()} "
    context.eventually(lambda: context.db.run(UserByEmail(email=typed)))
    with context.measured():
        user = context.db.run(UserByEmail(email=typed))
    assert user == users.own_user(context.db, ada)


@PROOFS("A3")
def user_by_username(context: ProofContext) -> None:
    """Get user by username, in any case."""
    ada, _ = new_owner(context.db)
    typed = ada.user_id.upper()
    context.eventually(lambda: context.db.run(UserByUsername(username=typed)))
    with context.measured():
        user = context.db.run(UserByUsername(username=typed))
    assert user == users.own_user(context.db, ada)


@PROOFS("F1")
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


@PROOFS("F4")
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


@PROOFS("F13")
def second_factor(context: ProofContext) -> None:
    """A second factor is asked at sign-in and for older sessions, a code works once, and its secret is encrypted."""
    db, step = context.db, timedelta(seconds=mfa.STEP_SECONDS)
    ada, account = new_owner(db)
    older = sessions.sign_in(db, ada, account.account_id)
    secret = mfa.start_mfa(db, ada)
    with expect_error(Invalid, field="code"):
        mfa.confirm_mfa(db, ada, "no code")
    code = mfa.totp(secret, db.now().timestamp())
    user = mfa.confirm_mfa(db, ada, code)
    assert user.mfa_enabled
    assert secret not in repr(user)
    with expect_error(SecondFactorRequired):
        accounts.read_account(db, ada, account.account_id)
    with expect_error(SecondFactorRequired, field="code"):
        sessions.sign_in(db, ada, account.account_id)
    with expect_error(SecondFactorRequired, field="code"):
        sessions.rotate(db, older.token)
    with expect_error(Invalid, field="code"):
        sessions.sign_in(db, ada, account.account_id, code)
    context.clock.advance(step)
    with context.measured():
        issued = sessions.sign_in(db, ada, account.account_id, mfa.totp(secret, db.now().timestamp()))
    accounts.read_account(db, Caller(ada.user_id, issued.claims), account.account_id)
    context.clock.advance(step)
    sessions.rotate(db, older.token, mfa.totp(secret, db.now().timestamp()))


@PROOFS("A32")
def token_by_hash(context: ProofContext) -> None:
    """Get a refresh token by its hash; only the hash is stored."""
    ada, account = new_owner(context.db)
    issued = sessions.sign_in(context.db, ada, account.account_id)
    with context.measured():
        token = context.db.run(RefreshTokenOf(refresh_token=issued.token))
    assert token is not None
    assert token.user_id == ada.user_id
    assert token.refresh_token != issued.token


@PROOFS("A33")
def sessions_of_user(context: ProofContext) -> None:
    """Get the sessions of a user by issuedAt, newest first."""
    ada, account = new_owner(context.db)
    made = []
    for _ in range(3):
        made.append(sessions.sign_in(context.db, ada, account.account_id).stored.token_family)
        context.clock.advance(timedelta(seconds=1))
    pattern = SessionsOfUser(user_id=ada.user_id)
    context.eventually(lambda: len(context.db.run(pattern)) == 3)
    with context.measured():
        tokens = context.db.all(pattern)
    assert [token.token_family for token in tokens] == made[::-1]


@PROOFS("A34")
def tokens_of_family(context: ProofContext) -> None:
    """Get the tokens of a family."""
    ada, account = new_owner(context.db)
    first = sessions.sign_in(context.db, ada, account.account_id)
    sessions.rotate(context.db, first.token)
    pattern = TokensOfFamily(token_family=first.stored.token_family)
    context.eventually(lambda: {token.revoked for token in context.db.run(pattern)} == {True, False})
    with context.measured():
        tokens = context.db.all(pattern)
    assert len(tokens) == 2


@PROOFS("F12")
def rotation_and_reuse(context: ProofContext) -> None:
    """Refresh tokens rotate; reuse of an old one revokes the family; sessions are listed and ended."""
    db = context.db
    ada, account = new_owner(db)
    first = sessions.sign_in(db, ada, account.account_id)
    with context.measured():
        second = sessions.rotate(db, first.token)
    with expect_error(Conflict, field="refreshToken"):
        sessions.rotate(db, first.token)
    context.clock.advance(sessions.GRACE_PERIOD + timedelta(seconds=1))
    with expect_error(Unauthenticated):
        sessions.rotate(db, first.token)
    with expect_error(Unauthenticated):
        sessions.rotate(db, second.token)
    other, last = (sessions.sign_in(db, ada, account.account_id) for _ in range(2))
    context.eventually(lambda: len(sessions.sessions(db, ada)) == 2)
    sessions.end_session(db, ada, other.stored.token_family)
    assert [session.token_family for session in sessions.sessions(db, ada)] == [last.stored.token_family]
    sessions.end_all_sessions(db, ada)
    with expect_error(Unauthenticated):
        sessions.rotate(db, last.token)
    context.clock.advance(timedelta(seconds=1))
    expiring = sessions.sign_in(db, ada, account.account_id)
    context.clock.advance(sessions.LIFETIME)
    with expect_error(Unauthenticated):
        sessions.rotate(db, expiring.token)
