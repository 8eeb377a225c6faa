"""OAuth flows at platforms that do not reply, and for sources that belong to another platform."""

import pytest
from tablewright_systems.listbackup.design.memberships import AccountRole, Permissions
from tablewright_systems.listbackup.design.oauth import OAuthStateOf
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.platforms.oauth_client import OAuthClient
from tablewright_systems.listbackup.platforms.protocol import PlatformUnavailable
from tablewright_systems.listbackup.proofs.fixtures import (
    REDIRECT_URI,
    api_key_source,
    new_member,
    oauth_source,
    start_oauth,
)
from tablewright_systems.listbackup.service import memberships, oauth, oauth_tokens, sources
from tablewright_systems.service import Caller, Conflict, Forbidden, NotFound, Unavailable

from tablewright import Repository


def unavailable(*values: object) -> None:
    raise PlatformUnavailable("keap is down")


def test_a_flow_ends_when_the_platform_does_not_reply(
    db: Repository, caller: Caller, account_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow, platforms, code = start_oauth(db, caller, account_id)
    monkeypatch.setattr(OAuthClient, "exchange", unavailable)
    with pytest.raises(Unavailable, match="keap is down; start the flow again"):
        oauth.callback(db, caller, platforms, state=flow.state, code=code, redirect_uri=REDIRECT_URI)
    assert db.run(OAuthStateOf(state=flow.state)) is None
    with pytest.raises(NotFound):
        sources.get_source(db, account_id, flow.source_id)


def test_old_tokens_stay_in_use_when_new_ones_cannot_be_tried(
    db: Repository, caller: Caller, account_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = oauth_source(db, caller, account_id)
    before = oauth_tokens.get_token(db, source.source_id).tokens
    flow, platforms, code = start_oauth(db, caller, account_id, source_id=source.source_id)
    monkeypatch.setattr(OAuthClient, "accepts", unavailable)
    with pytest.raises(Unavailable, match="the old tokens stay in use"):
        oauth.callback(db, caller, platforms, state=flow.state, code=code, redirect_uri=REDIRECT_URI)
    assert oauth_tokens.get_token(db, source.source_id).tokens == before
    assert sources.get_source(db, account_id, source.source_id) == source


@pytest.mark.parametrize("platform", ["keap", "stripe"])
def test_a_source_is_reconnected_by_its_own_platform_and_kind(
    db: Repository, caller: Caller, account_id: str, platform: str
) -> None:
    source = api_key_source(db, caller, account_id)
    with pytest.raises(Conflict, match="another platform, or is not connected by OAuth"):
        start_oauth(db, caller, account_id, platform, source_id=source.source_id)


def test_reconnecting_needs_the_right_to_change_the_source(
    db: Repository, caller: Caller, account_id: str
) -> None:
    """Who may only create sources could otherwise let an existing one read and write another platform account."""
    source = oauth_source(db, caller, account_id)
    before = oauth_tokens.get_token(db, source.source_id).tokens
    creating = Permissions(sources=[Right.CREATE, Right.READ])
    member = new_member(db, caller, account_id, permissions=creating)
    with pytest.raises(Forbidden, match="the right to update sources"):
        start_oauth(db, member, account_id, source_id=source.source_id)
    both = Permissions(sources=[Right.CREATE, Right.READ, Right.UPDATE])
    who = (db, caller, account_id, member.user_id, AccountRole.MEMBER)
    memberships.change_role(*who, both)
    flow, platforms, code = start_oauth(db, member, account_id, source_id=source.source_id)
    memberships.change_role(*who, creating)
    with pytest.raises(Forbidden, match="the right to update sources"):
        oauth.callback(db, member, platforms, state=flow.state, code=code, redirect_uri=REDIRECT_URI)
    assert oauth_tokens.get_token(db, source.source_id).tokens == before


def test_a_request_shows_no_secret(db: Repository, caller: Caller, account_id: str) -> None:
    flow, _, _ = start_oauth(db, caller, account_id)
    assert flow.browser_key not in repr(flow)
    assert flow.browser_key not in flow.authorization_url
