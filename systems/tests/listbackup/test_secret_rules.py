"""Rules of tokens, states, keys and expiry. Each test is named after its rule in REQUIREMENTS.md."""

import json
from contextlib import nullcontext
from datetime import timedelta

import pytest
from tablewright_systems.listbackup.design.activities import Activity
from tablewright_systems.listbackup.design.connections import (
    Connection,
    ConnectionById,
    ConnectionStatus,
    connections,
)
from tablewright_systems.listbackup.design.oauth import (
    OAuthState,
    OAuthStateOf,
    OAuthToken,
    StateMetadata,
)
from tablewright_systems.listbackup.design.sessions import RefreshToken, TokenFamily
from tablewright_systems.listbackup.design.sources import Credentials, Source, SourceOfAccount
from tablewright_systems.listbackup.design.users import User
from tablewright_systems.listbackup.design.vocabulary import ConnectionType, Right
from tablewright_systems.listbackup.platforms.oauth_client import Grant, OAuthClient
from tablewright_systems.listbackup.proofs.fixtures import (
    REDIRECT_URI,
    STAFF,
    fake_platforms,
    new_owner,
    oauth_source,
    reload_account,
    start_oauth,
)
from tablewright_systems.listbackup.service import accounts, mfa, oauth, oauth_tokens, sessions, users
from tablewright_systems.listbackup.service.access import Area, require_right
from tablewright_systems.service.errors import Conflict, Gone, Invalid, TooManyRequests, Unauthenticated

from systems.tests.listbackup.faulty_store import items_of
from tablewright import Clock, Repository, errors


def sweep(db: Repository) -> int:
    """Let TTL delete what has expired."""
    swept: int = db.connection.sweep()  # type: ignore[attr-defined]
    return swept


def test_r2_refresh_tokens_have_a_numeric_ttl_and_are_rejected_after_expiry(
    db: Repository, clock: Clock
) -> None:
    ada, account = new_owner(db)
    issued = sessions.sign_in(db, ada, account.account_id)
    (item,) = (item for item in items_of(db, RefreshToken) if "tokenFamily" in item)
    assert "N" in item["expiresAtEpoch"]
    assert item["expiresAt"]["S"].endswith("Z")
    clock.advance(sessions.LIFETIME)
    with pytest.raises(Unauthenticated):
        sessions.rotate(db, issued.token)
    assert len(items_of(db, RefreshToken)) == 2, "TTL is late, and the token is rejected already"
    clock.advance(timedelta(days=2))
    sweep(db)
    assert items_of(db, RefreshToken) == []


def test_r3_an_expired_state_is_rejected_before_ttl_deletes_it(db: Repository, clock: Clock) -> None:
    ada, account = new_owner(db)
    pattern, _, _ = start_oauth(db, ada, account.account_id)
    clock.advance(timedelta(minutes=15))
    assert len(items_of(db, OAuthState)) == 1
    with pytest.raises(Gone):
        oauth.consume_state(db, ada, pattern.state, REDIRECT_URI)


def test_r4_an_expired_connection_is_never_deleted_by_ttl(db: Repository, clock: Clock) -> None:
    ada, account = new_owner(db)
    source = oauth_source(db, ada, account.account_id)
    clock.advance(timedelta(days=100))
    sweep(db)
    assert connections.ttl is None
    assert db.run(ConnectionById(connection_id=str(source.connection_id))) is not None
    (item,) = items_of(db, Connection)
    assert "S" in item["expiresAt"]
    assert "expiresAt" not in item["credentials"]["M"]


def test_r33_reuse_of_an_old_token_revokes_the_family(db: Repository, clock: Clock) -> None:
    ada, account = new_owner(db)
    first = sessions.sign_in(db, ada, account.account_id)
    second = sessions.rotate(db, first.token)
    third = sessions.rotate(db, second.token)
    clock.advance(sessions.GRACE_PERIOD + timedelta(seconds=1))
    with pytest.raises(Unauthenticated, match="used before"):
        sessions.rotate(db, first.token)
    with pytest.raises(Unauthenticated):
        sessions.rotate(db, third.token)
    (head,) = (item for item in items_of(db, TokenFamily) if item["entityType"]["S"] == "TOKEN_FAMILY")
    assert head["revokedReason"]["S"] == sessions.REUSED
    recorded = {item["eventType"]["S"]: item for item in items_of(db, Activity)}
    assert recorded["user.login"]["userId"]["S"] == ada.user_id
    assert "userId" not in recorded["session.revoked"], "the user of the token is unknown"


def test_r34_only_the_hash_of_a_token_is_stored(db: Repository) -> None:
    ada, account = new_owner(db)
    issued = sessions.sign_in(db, ada, account.account_id)
    stored = json.dumps(items_of(db, RefreshToken), default=str)
    assert issued.token not in stored
    assert issued.token not in repr(issued.stored)
    with pytest.raises(Unauthenticated) as error:
        sessions.rotate(db, f"{issued.token}x")
    assert issued.token not in str(error.value)


def test_r38_a_ciphertext_cannot_be_decrypted_in_another_account(db: Repository) -> None:
    (ada, one), (bob, other) = new_owner(db), new_owner(db)
    mine, theirs = oauth_source(db, ada, one.account_id), oauth_source(db, bob, other.account_id)
    table = db.context.table_name(OAuthToken.layout.table)
    stolen = db.connection.call("GetItem", {"TableName": table, "Key": {"sourceId": {"S": mine.source_id}}})
    db.connection.call(
        "UpdateItem",
        {
            "TableName": table,
            "Key": {"sourceId": {"S": theirs.source_id}},
            "UpdateExpression": "SET tokens = :t",
            "ExpressionAttributeValues": {":t": stolen["Item"]["tokens"]},
        },
    )
    with pytest.raises((errors.SecretAltered, errors.SecretShredded)):
        oauth_tokens.get_token(db, theirs.source_id)


def test_r38_secrets_are_encrypted_again_with_a_new_key(db: Repository) -> None:
    ada, account = new_owner(db)
    source = oauth_source(db, ada, account.account_id)
    before = oauth_tokens.get_token(db, source.source_id)
    accounts.rotate_key(db, ada, account.account_id)
    assert accounts.reencrypt(db) == 1
    assert accounts.reencrypt(db) == 0
    assert oauth_tokens.get_token(db, source.source_id).tokens == before.tokens


def test_r38_expiring_tokens_of_an_account_without_keys_are_skipped(db: Repository) -> None:
    (ada, closed), (bob, other) = new_owner(db), new_owner(db)
    oauth_source(db, ada, closed.account_id)
    source = oauth_source(db, bob, other.account_id)
    accounts.shred_keys(db, closed.account_id)
    expiring = db.iterate(oauth_tokens.tokens_expiring(STAFF, db.now() + timedelta(hours=25)), unknown="skip")
    assert [token.source_id for token in expiring] == [source.source_id]


def test_r38_connections_of_an_account_without_keys_expire(db: Repository, clock: Clock) -> None:
    (ada, closed), (bob, other) = new_owner(db), new_owner(db)
    lost, source = oauth_source(db, ada, closed.account_id), oauth_source(db, bob, other.account_id)
    accounts.shred_keys(db, closed.account_id)
    clock.advance(timedelta(hours=24))
    assert oauth_tokens.renew_expiring(db, STAFF, fake_platforms(db).platforms()) == 1
    assert oauth_tokens.get_token(db, source.source_id).last_refreshed_at == db.now()
    link = db.run(ConnectionById(connection_id=lost.connection_id or ""))
    assert link is not None
    assert link.status is ConnectionStatus.EXPIRED


def test_r39_a_secret_is_stored_once(db: Repository) -> None:
    ada, account = new_owner(db)
    source = oauth_source(db, ada, account.account_id)
    assert source.credentials is None
    (connection,) = items_of(db, Connection)
    assert connection["credentials"] == {"M": {"sourceId": {"S": source.source_id}, "scope": {"S": "full"}}}


def test_r40_no_item_or_index_contains_a_secret_unencrypted(db: Repository) -> None:
    ada, account = new_owner(db)
    secret = mfa.start_mfa(db, ada)
    source = oauth_source(db, ada, account.account_id)
    held = oauth_tokens.get_token(db, source.source_id).tokens
    db.create(
        Source(
            account_id=account.account_id,
            source_name="Stripe",
            platform="stripe",
            connection_type=ConnectionType.APIKEY,
            credentials=Credentials(type="apikey", encrypted_data="sk_live_1"),
            created_by=ada.user_id,
        )
    )
    for entity in (User, Source, OAuthToken, Connection, Activity):
        stored = json.dumps(items_of(db, entity), default=str)
        for recorded in (secret, held.access_token, str(held.refresh_token), "sk_live_1"):
            assert recorded not in stored


@pytest.mark.parametrize("enabled", [False, True])
def test_codes_of_a_second_factor_cannot_be_guessed(db: Repository, clock: Clock, enabled: bool) -> None:
    ada, _ = new_owner(db)
    secret = mfa.start_mfa(db, ada)
    flow = mfa.confirm_mfa
    if enabled:
        mfa.confirm_mfa(db, ada, mfa.totp(secret, db.now().timestamp()))
        flow = mfa.stop_mfa
    for _ in range(mfa.MAX_ATTEMPTS):
        with pytest.raises(Invalid):
            flow(db, ada, "no code")
    with pytest.raises(TooManyRequests) as error:
        flow(db, ada, mfa.totp(secret, db.now().timestamp()))
    assert users.own_user(db, ada).mfa_enabled is enabled
    clock.advance(error.value.retry_after)
    with pytest.raises(Invalid):
        flow(db, ada, "no code")
    user = flow(db, ada, mfa.totp(secret, db.now().timestamp()))
    assert (user.mfa_enabled, user.mfa_tries) == (not enabled, None)


def test_r59_states_are_random_and_bound_to_user_and_redirect_uri(db: Repository) -> None:
    ada, account = new_owner(db)
    pattern, _, _ = start_oauth(db, ada, account.account_id, return_url="https://app.listbackup.ai/done")
    assert len(pattern.state) >= 43, "256 bits"
    state = db.run(OAuthStateOf(state=pattern.state))
    assert state is not None
    assert state.code_verifier not in json.dumps(items_of(db, OAuthState), default=str)
    with pytest.raises(Invalid):
        oauth.consume_state(db, ada, pattern.state, f"{REDIRECT_URI}/")
    for address in (
        "https://app.listbackup.ai@evil.example/",
        "//evil.example",
        "javascript:alert(1)",
        "http://app.listbackup.ai/",
    ):
        with pytest.raises(Invalid):
            start_oauth(db, ada, account.account_id, return_url=address)


def test_r60_tokens_are_written_only_for_their_account(db: Repository) -> None:
    ada, account = new_owner(db)
    eve, other = new_owner(db)
    source = oauth_source(db, ada, account.account_id)
    with pytest.raises(errors.TablewrightError):
        oauth._connect(
            db,
            eve,
            require_right(db, eve, other.account_id, Area.SOURCES, Right.CREATE),
            OAuthState(
                state="s" * 43,
                account_id=other.account_id,
                user_id=eve.user_id,
                platform="keap",
                redirect_uri=REDIRECT_URI,
                metadata=StateMetadata(source_id=source.source_id, connection_id="c"),
                code_verifier="v",
            ),
            Grant(oauth_tokens.get_token(db, source.source_id).tokens),
        )
    assert oauth_tokens.get_token(db, source.source_id).account_id == account.account_id
    assert reload_account(db, other).sources_used == 0


@pytest.mark.parametrize("replaced", [True, False])
def test_r61_old_tokens_are_kept_until_new_ones_are_accepted(
    db: Repository, monkeypatch: pytest.MonkeyPatch, replaced: bool
) -> None:
    ada, account = new_owner(db)
    source = oauth_source(db, ada, account.account_id)
    before = oauth_tokens.get_token(db, source.source_id)
    flow, platforms, code = start_oauth(db, ada, account.account_id, source_id=source.source_id)
    if not replaced:
        monkeypatch.setattr(OAuthClient, "accepts", lambda client, grant: False)
    with nullcontext() if replaced else pytest.raises(Conflict, match="old ones stay in use"):
        oauth.callback(db, ada, platforms, state=flow.state, code=code, redirect_uri=REDIRECT_URI)
    after = oauth_tokens.get_token(db, source.source_id)
    assert (after.tokens != before.tokens) is replaced
    assert after.candidate is None
    assert reload_account(db, account).sources_used == 1
    again = db.run(SourceOfAccount(account_id=account.account_id, source_id=source.source_id))
    assert again is not None
    assert (again.connection_id != source.connection_id) is replaced
    links = {item["connectionId"]["S"]: item["status"]["S"] for item in items_of(db, Connection)}
    assert links.pop(str(again.connection_id)) == "active"
    assert list(links.values()) == ["revoked" if replaced else "error"]
