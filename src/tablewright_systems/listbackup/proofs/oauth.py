"""Proofs of OAuth: states that work once, tokens, their renewal, their seals."""

from datetime import timedelta

from tablewright import errors
from tablewright_systems.listbackup.design.connections import ConnectionById, ConnectionStatus
from tablewright_systems.listbackup.design.oauth import (
    OAuthStateOf,
    OAuthTokenOf,
    OAuthTokensOfAccount,
    OAuthTokensOfAccountFor,
)
from tablewright_systems.listbackup.design.sources import SourceOfAccount, SourceStatus
from tablewright_systems.listbackup.proofs.cast import (
    REDIRECT_URI,
    STAFF,
    connected,
    founder,
    refused,
)
from tablewright_systems.listbackup.service.sources import encryption_keys, oauth, oauth_tokens
from tablewright_systems.listbackup.service.sources.platforms import Sandbox
from tablewright_systems.problems import Conflict, Forbidden, Gone, Invalid
from tablewright_systems.proofs import Proofs, Stage

PROOFS = Proofs("listbackup")


@PROOFS("A29", "001:399")
def consume_state(stage: Stage) -> None:
    """Consume an OAuth state: once, by who made it."""
    ada, account = founder(stage.db)
    eve, _ = founder(stage.db)
    asked = oauth.start(stage.db, ada, account.account_id, "keap", redirect_uri=REDIRECT_URI)
    with refused(Forbidden):
        oauth.consume(stage.db, eve, asked.state, REDIRECT_URI)
    with stage.measured():
        state = oauth.consume(stage.db, ada, asked.state, REDIRECT_URI)
    assert state.account_id == account.account_id
    with refused(Gone):
        oauth.consume(stage.db, ada, asked.state, REDIRECT_URI)


@PROOFS("A30", "001:430")
def tokens_of_source(stage: Stage) -> None:
    """Get the OAuth tokens of a source."""
    ada, account = founder(stage.db)
    source = connected(stage.db, ada, account.account_id)
    with stage.measured():
        found = stage.db.run(OAuthTokenOf(source_id=source.source_id))
    assert found is not None
    assert found.tokens.access_token.startswith("access-")


@PROOFS("A31", "001:459")
def tokens_of_account(stage: Stage) -> None:
    """Get the OAuth tokens of an account, of all platforms or of one: always several, never "the" one."""
    ada, account = founder(stage.db)
    for platform in ("keap", "stripe", "stripe"):
        connected(stage.db, ada, account.account_id, platform)
    everything = OAuthTokensOfAccount(account_id=account.account_id)
    stripe = OAuthTokensOfAccountFor(account_id=account.account_id, platform="stripe")
    stage.eventually(lambda: len(stage.db.run(everything)) == 3)
    with stage.measured():
        found = stage.db.all(stripe)
    assert [each.platform for each in found] == ["stripe", "stripe"]


@PROOFS("A48", "001:379")
def about_to_expire(stage: Stage) -> None:
    """Find the connections and tokens that are about to expire."""
    ada, account = founder(stage.db)
    source = connected(stage.db, ada, account.account_id)
    soon = stage.db.now() + timedelta(hours=2)

    def expiring() -> bool:
        sources = {each.source_id for each in oauth_tokens.tokens_expiring(stage.db, STAFF, soon)}
        links = {each.connection_id for each in oauth_tokens.connections_expiring(stage.db, STAFF, soon)}
        return source.source_id in sources and source.connection_id in links

    stage.eventually(expiring)
    with stage.measured():
        assert expiring()
    found = {each.source_id for each in oauth_tokens.tokens_expiring(stage.db, STAFF, stage.db.now())}
    assert source.source_id not in found


@PROOFS("F10", "001:405")
def oauth_flow(stage: Stage) -> None:
    """OAuth from question to answer: bound, in time, once; tokens, source and connection come together."""
    db = stage.db
    ada, account = founder(db)
    with refused(Invalid, field="redirectUri"):
        oauth.start(db, ada, account.account_id, "keap", redirect_uri="https://evil.example/")
    with refused(Invalid, field="returnUrl"):
        oauth.start(
            db,
            ada,
            account.account_id,
            "keap",
            redirect_uri=REDIRECT_URI,
            return_url="https://app.listbackup.ai.evil.example/",
        )
    late = oauth.start(db, ada, account.account_id, "keap", redirect_uri=REDIRECT_URI)
    stage.clock.advance(timedelta(minutes=15, seconds=1))
    with refused(Gone):
        oauth.consume(db, ada, late.state, REDIRECT_URI)
    asked = oauth.start(db, ada, account.account_id, "keap", redirect_uri=REDIRECT_URI)
    with stage.measured():
        source = oauth.callback(db, ada, Sandbox(), state=asked.state, code="code", redirect_uri=REDIRECT_URI)
    assert source.source_id == asked.source_id
    assert db.run(OAuthStateOf(state=asked.state)) is None
    link = db.run(ConnectionById(connection_id=source.connection_id or ""))
    assert link is not None
    assert link.credentials is not None
    assert link.credentials.source_id == source.source_id


@PROOFS("F11", "001:454")
def token_refresh(stage: Stage) -> None:
    """Renew a platform's tokens; when it refuses, the connection has expired and the source stops."""
    db = stage.db
    ada, account = founder(db)
    source = connected(db, ada, account.account_id)
    before = oauth_tokens.found_token(db, source.source_id)
    stage.clock.advance(timedelta(minutes=50))
    with stage.measured():
        after = oauth_tokens.refresh(db, STAFF, Sandbox(), source.source_id)
    assert after.tokens.refresh_token != before.tokens.refresh_token
    assert after.last_refreshed_at == db.now()
    db.update(after, set={"tokens": after.tokens.model_copy(update={"refresh_token": "bad"})})
    with refused(Conflict):
        oauth_tokens.refresh(db, STAFF, Sandbox(), source.source_id)
    link = db.run(ConnectionById(connection_id=source.connection_id or ""))
    assert link is not None
    assert link.status is ConnectionStatus.EXPIRED
    stopped = db.run(SourceOfAccount(account_id=account.account_id, source_id=source.source_id))
    assert stopped is not None
    assert (stopped.status, stopped.next_sync_at) == (SourceStatus.ERROR, None)


@PROOFS("F16", "001:465")
def sealed_by_account(stage: Stage) -> None:
    """Secrets are sealed by a key of their account: rotated, and forgotten with it."""
    db = stage.db
    (ada, one), (bob, other) = founder(db), founder(db)
    mine, theirs = connected(db, ada, one.account_id), connected(db, bob, other.account_id)
    sealed = oauth_tokens.found_token(db, mine.source_id)
    encryption_keys.rotate_key(db, ada, one.account_id)
    assert oauth_tokens.found_token(db, mine.source_id) == sealed
    with stage.measured():
        encryption_keys.shred(db, one.account_id)
    with refused(errors.SecretShredded):
        oauth_tokens.found_token(db, mine.source_id)
    assert oauth_tokens.found_token(db, theirs.source_id).tokens.access_token
