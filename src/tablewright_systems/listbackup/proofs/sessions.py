"""Proofs of sessions: refresh tokens by their hash, families, reuse."""

from datetime import timedelta

from tablewright_systems.listbackup.design.sessions import RefreshTokenOf, SessionsOfUser, TokensOfFamily
from tablewright_systems.listbackup.proofs.cast import founder, refused
from tablewright_systems.listbackup.service.users import sessions
from tablewright_systems.problems import Conflict, Unauthenticated
from tablewright_systems.proofs import Proofs, Stage

PROOFS = Proofs("listbackup")


@PROOFS("A32", "001:474")
def token_by_hash(stage: Stage) -> None:
    """Get a refresh token by its hash, which is all that is stored."""
    ada, account = founder(stage.db)
    issued = sessions.sign_in(stage.db, ada, account.account_id)
    with stage.measured():
        found = stage.db.run(RefreshTokenOf(refresh_token=issued.token))
    assert found is not None
    assert found.user_id == ada.user_id
    assert found.refresh_token != issued.token


@PROOFS("A33", "001:498")
def sessions_of_user(stage: Stage) -> None:
    """Get the sessions of a user by issuedAt, the newest first."""
    ada, account = founder(stage.db)
    made = []
    for _ in range(3):
        made.append(sessions.sign_in(stage.db, ada, account.account_id).kept.token_family)
        stage.clock.advance(timedelta(seconds=1))
    pattern = SessionsOfUser(user_id=ada.user_id)
    stage.eventually(lambda: len(stage.db.run(pattern)) == 3)
    with stage.measured():
        found = stage.db.all(pattern)
    assert [each.token_family for each in found] == made[::-1]


@PROOFS("A34", "001:501")
def tokens_of_family(stage: Stage) -> None:
    """Get the tokens of a family."""
    ada, account = founder(stage.db)
    first = sessions.sign_in(stage.db, ada, account.account_id)
    sessions.rotate(stage.db, first.token)
    pattern = TokensOfFamily(token_family=first.kept.token_family)
    stage.eventually(lambda: {each.revoked for each in stage.db.run(pattern)} == {True, False})
    with stage.measured():
        found = stage.db.all(pattern)
    assert len(found) == 2


@PROOFS("F12", "001:480")
def rotation_and_reuse(stage: Stage) -> None:
    """Refresh tokens rotate; who shows an old one again ends the family; sessions are listed and ended."""
    db = stage.db
    ada, account = founder(db)
    first = sessions.sign_in(db, ada, account.account_id)
    with stage.measured():
        second = sessions.rotate(db, first.token)
    with refused(Conflict, field="refreshToken"):
        sessions.rotate(db, first.token)
    stage.clock.advance(sessions.GRACE + timedelta(seconds=1))
    with refused(Unauthenticated):
        sessions.rotate(db, first.token)
    with refused(Unauthenticated):
        sessions.rotate(db, second.token)
    other, last = (sessions.sign_in(db, ada, account.account_id) for _ in range(2))
    stage.eventually(lambda: len(sessions.sessions(db, ada)) == 2)
    sessions.end_session(db, ada, other.kept.token_family)
    assert [each.token_family for each in sessions.sessions(db, ada)] == [last.kept.token_family]
    sessions.end_all_sessions(db, ada)
    with refused(Unauthenticated):
        sessions.rotate(db, last.token)
    stage.clock.advance(sessions.LIFETIME)
    with refused(Unauthenticated):
        sessions.rotate(db, other.token)
