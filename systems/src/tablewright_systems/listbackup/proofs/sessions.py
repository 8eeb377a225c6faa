"""Proofs of sessions: refresh tokens by their hash, families, reuse."""

from datetime import timedelta

from tablewright_systems.listbackup.design.sessions import RefreshTokenOf, SessionsOfUser, TokensOfFamily
from tablewright_systems.listbackup.proofs.fixtures import new_owner
from tablewright_systems.listbackup.service.users import sessions
from tablewright_systems.service import Conflict, Unauthenticated
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("listbackup")


@PROOFS("A32")
def token_by_hash(context: ProofContext) -> None:
    """Get a refresh token by its hash; only the hash is stored."""
    ada, account = new_owner(context.db)
    issued = sessions.sign_in(context.db, ada, account.account_id)
    with context.measured():
        found = context.db.run(RefreshTokenOf(refresh_token=issued.token))
    assert found is not None
    assert found.user_id == ada.user_id
    assert found.refresh_token != issued.token


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
        found = context.db.all(pattern)
    assert [each.token_family for each in found] == made[::-1]


@PROOFS("A34")
def tokens_of_family(context: ProofContext) -> None:
    """Get the tokens of a family."""
    ada, account = new_owner(context.db)
    first = sessions.sign_in(context.db, ada, account.account_id)
    sessions.rotate(context.db, first.token)
    pattern = TokensOfFamily(token_family=first.stored.token_family)
    context.eventually(lambda: {each.revoked for each in context.db.run(pattern)} == {True, False})
    with context.measured():
        found = context.db.all(pattern)
    assert len(found) == 2


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
    assert [each.token_family for each in sessions.sessions(db, ada)] == [last.stored.token_family]
    sessions.end_all_sessions(db, ada)
    with expect_error(Unauthenticated):
        sessions.rotate(db, last.token)
    context.clock.advance(timedelta(seconds=1))
    expiring = sessions.sign_in(db, ada, account.account_id)
    context.clock.advance(sessions.LIFETIME)
    with expect_error(Unauthenticated):
        sessions.rotate(db, expiring.token)
