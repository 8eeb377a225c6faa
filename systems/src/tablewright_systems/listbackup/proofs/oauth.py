"""Proofs of connections and OAuth: states that work once, tokens, their renewal and encryption."""

from datetime import timedelta
from functools import partial

from tablewright import errors
from tablewright_systems.listbackup.design.connections import (
    ConnectionById,
    ConnectionsOfAccount,
    ConnectionsOfAccountTo,
    ConnectionsOfUser,
    ConnectionsOfUserTo,
    ConnectionStatus,
)
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.design.oauth import (
    OAuthTokenOf,
    OAuthTokensOfAccount,
    OAuthTokensOfAccountFor,
)
from tablewright_systems.listbackup.design.sources import SourceOfAccount, SourceStatus
from tablewright_systems.listbackup.proofs.fixtures import (
    REDIRECT_URI,
    SECRET,
    STAFF,
    api_key_source,
    fake_platforms,
    new_member,
    new_owner,
    oauth_source,
)
from tablewright_systems.listbackup.service import accounts, oauth, oauth_tokens
from tablewright_systems.listbackup.service.sources import get_source
from tablewright_systems.service import Conflict, Forbidden, Gone, Invalid
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("listbackup")


@PROOFS("A29")
def consume_state(context: ProofContext) -> None:
    """Consume an OAuth state: once, by the user who created it."""
    ada, account = new_owner(context.db)
    eve, _ = new_owner(context.db)
    platforms = fake_platforms(context.db).platforms()
    authorization = oauth.start(
        context.db, ada, platforms, account.account_id, "keap", redirect_uri=REDIRECT_URI
    )
    with expect_error(Forbidden):
        oauth.consume_state(context.db, eve, authorization.state, REDIRECT_URI)
    with context.measured():
        state = oauth.consume_state(context.db, ada, authorization.state, REDIRECT_URI)
    assert state.account_id == account.account_id
    with expect_error(Gone):
        oauth.consume_state(context.db, ada, authorization.state, REDIRECT_URI)


@PROOFS("A30")
def tokens_of_source(context: ProofContext) -> None:
    """Get the OAuth tokens of a source."""
    ada, account = new_owner(context.db)
    source = oauth_source(context.db, ada, account.account_id)
    with context.measured():
        token = context.db.run(OAuthTokenOf(source_id=source.source_id))
    assert token is not None
    assert token.tokens.access_token.startswith("access.")


@PROOFS("A31")
def tokens_of_account(context: ProofContext) -> None:
    """Get the OAuth tokens of an account, of all platforms or of one: always a list."""
    ada, account = new_owner(context.db)
    for platform in ("keap", "stripe", "stripe"):
        oauth_source(context.db, ada, account.account_id, platform)
    everything = OAuthTokensOfAccount(account_id=account.account_id)
    stripe = OAuthTokensOfAccountFor(account_id=account.account_id, platform="stripe")
    context.eventually(lambda: len(context.db.run(everything)) == 3)
    with context.measured():
        tokens = context.db.all(stripe)
    assert [token.platform for token in tokens] == ["stripe", "stripe"]


@PROOFS("A48")
def about_to_expire(context: ProofContext) -> None:
    """Find the connections and tokens that are about to expire; the job renews them, and no others."""
    db, platforms = context.db, fake_platforms(context.db).platforms()
    ada, account = new_owner(db)
    source = oauth_source(db, ada, account.account_id)
    with expect_error(Forbidden):
        oauth_tokens.connections_expiring(ada, db.now())

    def expiring(before: timedelta) -> bool:
        tokens = db.all(oauth_tokens.tokens_expiring(STAFF, db.now() + before), unknown="skip")
        links = db.all(oauth_tokens.connections_expiring(STAFF, db.now() + before))
        has_token = source.source_id in {token.source_id for token in tokens}
        assert has_token == (source.connection_id in {link.connection_id for link in links})
        return has_token

    context.eventually(lambda: expiring(timedelta(hours=25)))
    with context.measured():
        assert not expiring(timedelta(hours=23))
    oauth_tokens.renew_expiring(db, STAFF, platforms)
    assert oauth_tokens.get_token(db, source.source_id).last_refreshed_at is None
    context.clock.advance(timedelta(hours=23, minutes=30))
    oauth_tokens.renew_expiring(db, STAFF, platforms)
    assert oauth_tokens.get_token(db, source.source_id).last_refreshed_at == db.now()


@PROOFS("F10")
def oauth_flow(context: ProofContext) -> None:
    """The OAuth flow: bound to user and browser, in time, once; it ends at an allowed URL with a connected source."""
    db, fakes = context.db, fake_platforms(context.db)
    platforms = fakes.platforms()
    ada, account = new_owner(db)

    def start(redirect_uri: str = REDIRECT_URI, return_url: str | None = None) -> oauth.AuthorizationRequest:
        return oauth.start(
            db,
            ada,
            platforms,
            account.account_id,
            "keap",
            redirect_uri=redirect_uri,
            return_url=return_url,
        )

    with expect_error(Invalid, field="redirectUri"):
        start("https://evil.example/")
    with expect_error(Invalid, field="returnUrl"):
        start(return_url="https://app.listbackup.ai.evil.example/")
    late = start()
    context.clock.advance(timedelta(minutes=15, seconds=1))
    with expect_error(Gone):
        oauth.consume_state(db, ada, late.state, REDIRECT_URI)
    flow = start(return_url="https://app.listbackup.ai/sources?tab=1")
    assert flow.code_challenge in flow.authorization_url
    code = fakes.keap.authorize(flow.code_challenge, REDIRECT_URI)
    finish = partial(oauth.callback_in_browser, db, platforms, state=flow.state, code=code)
    with expect_error(Forbidden):
        finish(browser_key="another browser's")
    with context.measured():
        back = finish(browser_key=flow.browser_key)
    assert back == f"https://app.listbackup.ai/sources?tab=1&sourceId={flow.source_id}"
    with expect_error(Gone):
        finish(browser_key=flow.browser_key)
    source = get_source(db, account.account_id, flow.source_id)
    link = db.run(ConnectionById(connection_id=source.connection_id or ""))
    assert link is not None
    assert link.credentials is not None
    assert link.credentials.source_id == source.source_id


@PROOFS("F11")
def token_refresh(context: ProofContext) -> None:
    """Renew a platform's tokens; if the platform rejects them, the connection expires and the source stops."""
    db = context.db
    ada, account = new_owner(db)
    source = oauth_source(db, ada, account.account_id)
    before = oauth_tokens.get_token(db, source.source_id)
    platforms = fake_platforms(db).platforms()
    context.clock.advance(timedelta(minutes=50))
    with expect_error(Forbidden):
        oauth_tokens.refresh(db, ada, platforms, source.source_id)
    with context.measured():
        after = oauth_tokens.refresh(db, STAFF, platforms, source.source_id)
    assert after.tokens.refresh_token != before.tokens.refresh_token
    assert after.last_refreshed_at == db.now()
    db.update(after, set={"tokens": after.tokens.model_copy(update={"refresh_token": "bad"})})
    with expect_error(Conflict):
        oauth_tokens.refresh(db, STAFF, platforms, source.source_id)
    link = db.run(ConnectionById(connection_id=source.connection_id or ""))
    assert link is not None
    assert link.status is ConnectionStatus.EXPIRED
    stopped = db.run(SourceOfAccount(account_id=account.account_id, source_id=source.source_id))
    assert stopped is not None
    assert (stopped.status, stopped.next_sync_at) == (SourceStatus.ERROR, None)


@PROOFS("F16")
def encrypted_by_account(context: ProofContext) -> None:
    """Secrets are encrypted with a key of their account, which can be rotated and deleted; tables with AWS's key."""
    db = context.db
    for table in db.design.tables:
        described = db.connection.call("DescribeTable", {"TableName": db.context.table_name(table)})["Table"]
        assert described["SSEDescription"]["SSEType"] == "KMS", table.name
    (ada, one), (bob, other) = new_owner(db), new_owner(db)
    mine, theirs = oauth_source(db, ada, one.account_id), oauth_source(db, bob, other.account_id)
    before = oauth_tokens.get_token(db, mine.source_id)
    accounts.rotate_key(db, ada, one.account_id)
    assert oauth_tokens.get_token(db, mine.source_id) == before
    with context.measured():
        accounts.shred_keys(db, one.account_id)
    with expect_error(errors.SecretShredded):
        oauth_tokens.get_token(db, mine.source_id)
    assert oauth_tokens.get_token(db, theirs.source_id).tokens.access_token


@PROOFS("A26")
def connection_by_id(context: ProofContext) -> None:
    """Get a connection by its id: it refers to the secret, and does not contain it."""
    ada, account = new_owner(context.db)
    source = api_key_source(context.db, ada, account.account_id)
    with context.measured():
        connection = context.db.run(ConnectionById(connection_id=str(source.connection_id)))
    assert connection is not None
    assert connection.credentials is not None
    assert connection.credentials.source_id == source.source_id
    assert SECRET not in connection.model_dump_json()


@PROOFS("A27")
def connections_of_account(context: ProofContext) -> None:
    """Get the connections of an account, to all platforms or to one."""
    ada, account = new_owner(context.db)
    for platform in ("stripe", "keap", "stripe"):
        api_key_source(context.db, ada, account.account_id, platform)
    everything = ConnectionsOfAccount(account_id=account.account_id)
    context.eventually(lambda: len(context.db.all(everything)) == 3)
    with context.measured():
        connections = context.db.all(ConnectionsOfAccountTo(account_id=account.account_id, platform="stripe"))
    assert [connection.platform for connection in connections] == ["stripe", "stripe"]


@PROOFS("A28")
def connections_of_user(context: ProofContext) -> None:
    """Get the connections that a user made, in all accounts."""
    ada, account = new_owner(context.db)
    bob = new_member(context.db, ada, account.account_id, AccountRole.ADMIN)
    api_key_source(context.db, ada, account.account_id, "keap")
    for platform in ("stripe", "keap"):
        api_key_source(context.db, bob, account.account_id, platform)
    everything = ConnectionsOfUser(user_id=bob.user_id)
    context.eventually(lambda: len(context.db.all(everything)) == 2)
    with context.measured():
        connections = context.db.all(ConnectionsOfUserTo(user_id=bob.user_id, platform="keap"))
    assert [(connection.user_id, connection.platform) for connection in connections] == [
        (bob.user_id, "keap")
    ]
