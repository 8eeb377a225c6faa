"""Readers of sources: workers only, active sources only, tokens that stay valid, rejected credentials."""

from datetime import timedelta

import pytest
from tablewright_systems.listbackup.design.connections import ConnectionById, ConnectionStatus
from tablewright_systems.listbackup.design.sources import Credentials, Source, SourceStatus
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.fakes.fake_platform import API_KEY
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.protocol import (
    CredentialsRejected,
    PlatformReader,
    PlatformUnavailable,
    RequestRejected,
)
from tablewright_systems.listbackup.proofs.fixtures import (
    api_key_source,
    fake_platforms,
    new_worker,
    oauth_source,
)
from tablewright_systems.listbackup.service import oauth_tokens, sources
from tablewright_systems.listbackup.service.readers import open_source
from tablewright_systems.service import Caller, Conflict, Forbidden

from tablewright import Clock, Repository


@pytest.fixture
def fakes(db: Repository) -> FakePlatforms:
    return fake_platforms(db)


@pytest.fixture
def source(db: Repository, caller: Caller, account_id: str) -> Source:
    return oauth_source(db, caller, account_id)


def opened(db: Repository, fakes: FakePlatforms, source: Source) -> PlatformReader:
    return open_source(db, new_worker(), fakes.platforms(), source)


def connection_status(db: Repository, source: Source) -> ConnectionStatus:
    connection = db.run(ConnectionById(connection_id=source.connection_id or ""))
    assert connection is not None
    return connection.status


def test_a_worker_reads_a_source(db: Repository, fakes: FakePlatforms, source: Source) -> None:
    assert len(opened(db, fakes, source).read("contacts").records) == 5
    connection = db.run(ConnectionById(connection_id=source.connection_id or ""))
    assert connection is not None
    assert connection.last_used_at == db.now()


def test_other_callers_cannot_open_a_source(
    db: Repository, fakes: FakePlatforms, source: Source, caller: Caller
) -> None:
    with pytest.raises(Forbidden, match="only the platform's workers"):
        open_source(db, caller, fakes.platforms(), source)


def test_a_paused_source_is_not_opened(
    db: Repository, fakes: FakePlatforms, source: Source, caller: Caller, account_id: str
) -> None:
    paused = sources.pause_source(db, caller, account_id, source.source_id)
    with pytest.raises(Conflict, match="is paused; only an active source is read"):
        opened(db, fakes, paused)


def test_tokens_are_renewed_before_their_end(
    db: Repository, clock: Clock, fakes: FakePlatforms, source: Source
) -> None:
    reader = opened(db, fakes, source)
    clock.advance(timedelta(hours=23, minutes=56))
    assert reader.read("contacts").records
    assert oauth_tokens.get_token(db, source.source_id).last_refreshed_at == db.now()


def test_tokens_that_the_platform_expired_are_renewed_once(
    db: Repository, fakes: FakePlatforms, source: Source
) -> None:
    reader = opened(db, fakes, source)
    fakes.keap.expire_tokens()
    assert reader.read("contacts").records
    assert oauth_tokens.get_token(db, source.source_id).last_refreshed_at == db.now()


def test_a_revoked_authorization_stops_the_source(
    db: Repository, fakes: FakePlatforms, source: Source, account_id: str
) -> None:
    reader = opened(db, fakes, source)
    fakes.keap.revoke()
    with pytest.raises(CredentialsRejected, match="reconnect the source"):
        reader.read("contacts")
    assert connection_status(db, source) is ConnectionStatus.EXPIRED
    assert sources.get_source(db, account_id, source.source_id).status is SourceStatus.ERROR


def test_a_reader_waits_while_another_worker_renews(
    db: Repository, fakes: FakePlatforms, source: Source
) -> None:
    reader = opened(db, fakes, source)
    assert oauth_tokens.LEASE.take(db, oauth_tokens.get_token(db, source.source_id)) is not None
    fakes.keap.expire_tokens()
    with pytest.raises(PlatformUnavailable, match="another worker is renewing"):
        reader.read("contacts")


def test_a_rejected_key_marks_the_connection(
    db: Repository, fakes: FakePlatforms, caller: Caller, account_id: str
) -> None:
    source = api_key_source(db, caller, account_id)
    with pytest.raises(CredentialsRejected, match="stripe: GET /customers returned 401") as raised:
        opened(db, fakes, source).read("contacts")
    assert source.credentials is not None
    assert source.credentials.encrypted_data not in str(raised.value)
    assert connection_status(db, source) is ConnectionStatus.ERROR
    valid = Credentials(type="apikey", encrypted_data=API_KEY)
    replaced = sources.replace_credentials(db, caller, account_id, source.source_id, valid)
    assert opened(db, fakes, replaced).read("contacts").records


def test_a_source_of_webhooks_cannot_be_read(
    db: Repository, fakes: FakePlatforms, caller: Caller, account_id: str
) -> None:
    source = api_key_source(db, caller, account_id).changed(connection_type=ConnectionType.WEBHOOK)
    with pytest.raises(RequestRejected, match="only receives webhooks"):
        opened(db, fakes, source)


@pytest.mark.parametrize("kind", [ConnectionType.APIKEY, ConnectionType.OAUTH])
def test_a_resumed_source_is_tried_again(
    db: Repository, fakes: FakePlatforms, caller: Caller, account_id: str, kind: ConnectionType
) -> None:
    """The platform rejects a key or a token for a while, and a user resumes the source."""
    create = api_key_source if kind is ConnectionType.APIKEY else oauth_source
    source = create(db, caller, account_id, "keap")
    reader = opened(db, fakes, source)
    fakes.keap.revoke()
    with pytest.raises(CredentialsRejected):
        reader.read("contacts")
    resumed = sources.resume_source(db, caller, account_id, source.source_id)
    assert connection_status(db, source) is ConnectionStatus.ACTIVE
    if source.credentials is not None:
        fakes.keap.api_keys.add(source.credentials.encrypted_data)
        assert opened(db, fakes, resumed).read("contacts").records
    else:
        with pytest.raises(CredentialsRejected, match="reconnect the source"):
            opened(db, fakes, resumed).read("contacts")
        assert sources.get_source(db, account_id, source.source_id).status is SourceStatus.ERROR
