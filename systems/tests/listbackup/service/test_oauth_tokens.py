"""OAuth tokens: renewed before their end, kept while a platform is unavailable, and reported when rejected."""

from datetime import timedelta

import pytest
from tablewright_systems.listbackup.design.notifications import Announcement
from tablewright_systems.listbackup.design.sources import Source, SourceStatus
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.oauth_client import OAuthClient
from tablewright_systems.listbackup.platforms.protocol import PlatformUnavailable, RateLimited
from tablewright_systems.listbackup.proofs.fixtures import STAFF, fake_platforms, oauth_source
from tablewright_systems.listbackup.service import oauth_tokens, sources
from tablewright_systems.service import Caller, Conflict, Forbidden, Unavailable

from systems.tests.listbackup.faulty_store import items_of
from tablewright import Clock, Repository


@pytest.fixture
def fakes(db: Repository) -> FakePlatforms:
    return fake_platforms(db)


@pytest.fixture
def source(db: Repository, caller: Caller, account_id: str) -> Source:
    return oauth_source(db, caller, account_id)


def test_the_job_renews_connections_that_expire_within_an_hour(
    db: Repository, clock: Clock, fakes: FakePlatforms, source: Source
) -> None:
    assert oauth_tokens.renew_expiring(db, STAFF, fakes.platforms()) == 0
    clock.advance(timedelta(hours=23, minutes=1))
    assert oauth_tokens.renew_expiring(db, STAFF, fakes.platforms()) == 1
    assert oauth_tokens.renew_expiring(db, STAFF, fakes.platforms()) == 0


def test_the_job_is_for_workers(db: Repository, fakes: FakePlatforms, caller: Caller) -> None:
    with pytest.raises(Forbidden):
        oauth_tokens.renew_expiring(db, caller, fakes.platforms())


@pytest.mark.parametrize("error", [PlatformUnavailable("keap is down"), RateLimited("slow down", 5)])
def test_an_unavailable_platform_keeps_the_tokens_and_frees_the_lease(
    db: Repository, fakes: FakePlatforms, source: Source, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def failing(client: OAuthClient, refresh_token: str, now: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(OAuthClient, "refresh", failing)
        with pytest.raises(Unavailable):
            oauth_tokens.refresh(db, STAFF, fakes.platforms(), source.source_id)
    assert oauth_tokens.refresh(db, STAFF, fakes.platforms(), source.source_id).refreshing_until is None
    assert sources.get_source(db, source.account_id, source.source_id).status is SourceStatus.ACTIVE


def test_rejected_tokens_stop_the_source_and_are_reported(
    db: Repository, fakes: FakePlatforms, source: Source
) -> None:
    fakes.keap.revoke()
    with pytest.raises(Conflict, match="reconnect the source"):
        oauth_tokens.refresh(db, STAFF, fakes.platforms(), source.source_id)
    assert sources.get_source(db, source.account_id, source.source_id).status is SourceStatus.ERROR
    assert "keap cannot be backed up" in str(items_of(db, Announcement))
