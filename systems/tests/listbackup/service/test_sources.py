"""Sources: what cannot be read is rejected when the source is created or changed."""

from typing import Any

import pytest
from tablewright_systems.listbackup.design.sources import Credentials, Source, SourceConfig
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.proofs.fixtures import api_key_source
from tablewright_systems.listbackup.service import sources
from tablewright_systems.service import Caller, Invalid, NotFound, PreconditionFailed

from tablewright import Repository

VALID = {"platform": "keap", "connection_type": ConnectionType.APIKEY, "data_types": ["contacts"]}


def create(db: Repository, caller: Caller, account_id: str, values: dict[str, Any]) -> Source:
    return sources.create_source(
        db,
        caller,
        account_id,
        source_name="CRM",
        platform=values["platform"],
        connection_type=values["connection_type"],
        credentials=Credentials(type="apikey", encrypted_data="key"),
        config=SourceConfig(data_types=values["data_types"]),
    )


def test_a_source_is_due_when_it_is_created(db: Repository, caller: Caller, account_id: str) -> None:
    assert create(db, caller, account_id, VALID).next_sync_at == db.now()


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"platform": "mailchimp"}, "platform", "'mailchimp' is not supported; supported are keap, stripe"),
        ({"data_types": ["contacts", "deals"]}, "config.dataTypes", "keap has no deals; it has contacts"),
        ({"platform": "gohighlevel"}, "platformAccount.accountId", "needs the id of the connected location"),
        ({"connection_type": ConnectionType.OAUTH}, "connectionType", "created by the OAuth flow"),
        ({"connection_type": ConnectionType.WEBHOOK}, "connectionType", "webhooks report changes only"),
    ],
)
def test_what_cannot_be_read_is_rejected(
    db: Repository, caller: Caller, account_id: str, change: dict[str, Any], field: str, reason: str
) -> None:
    with pytest.raises(Invalid, match=reason) as raised:
        create(db, caller, account_id, VALID | change)
    assert raised.value.field == field


def test_a_change_to_an_unknown_data_type_is_rejected(
    db: Repository, caller: Caller, account_id: str
) -> None:
    source = api_key_source(db, caller, account_id)
    with pytest.raises(Invalid, match="stripe has no deals"):
        sources.change_source(
            db, caller, account_id, source.source_id, config=SourceConfig(data_types=["deals"])
        )


def test_only_the_expected_version_is_deleted(db: Repository, caller: Caller, account_id: str) -> None:
    source = api_key_source(db, caller, account_id)
    changed = sources.pause_source(db, caller, account_id, source.source_id)
    with pytest.raises(PreconditionFailed):
        sources.delete_source(db, caller, account_id, source.source_id, source.version)
    assert sources.get_source(db, account_id, source.source_id) == changed
    sources.delete_source(db, caller, account_id, source.source_id, changed.version)
    with pytest.raises(NotFound):
        sources.get_source(db, account_id, source.source_id)
