"""Settings: the steps that change what a table does, apart from its keys and indexes. Each can be undone."""

from collections.abc import Iterator
from typing import Any

from tablewright.design.tables.billing import Provisioned
from tablewright.lifecycle.deploy.deployment_steps import Change, Request, throughput
from tablewright.lifecycle.deploy.table_state import TableState


def setting_changes(want: TableState, have: TableState) -> Iterator[Change]:
    """One step for each setting that differs."""
    for compare in (_billing, _expiry, _stream, _recovery, _protection, _class, _encryption, _tags):
        change = compare(want, have)
        if change is not None:
            yield change


def _update(table: str, what: str, **members: Any) -> Change:
    return Change(table, what, (("UpdateTable", {"TableName": table, **members}),))


def _billing(want: TableState, have: TableState) -> Change | None:
    if want.billing == have.billing:
        return None
    if not isinstance(want.billing, Provisioned):
        return _update(want.name, "change the billing to on demand", BillingMode="PAY_PER_REQUEST")
    units = throughput(want.billing)
    members: dict[str, Any] = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units}
    if indexes := [index.name for index in have.indexes if not index.local]:
        members["GlobalSecondaryIndexUpdates"] = [
            {"Update": {"IndexName": name, "ProvisionedThroughput": units}} for name in indexes
        ]
    what = f"change the billing to {want.billing.read} read and {want.billing.write} write units"
    return _update(want.name, what, **members)


def _expiry(want: TableState, have: TableState) -> Change | None:
    if want.ttl == have.ttl:
        return None
    calls: list[Request] = []
    for attribute, enabled in ((have.ttl, False), (want.ttl, True)):
        if attribute is not None:
            setting = {"Enabled": enabled, "AttributeName": attribute}
            calls.append(("UpdateTimeToLive", {"TableName": want.name, "TimeToLiveSpecification": setting}))
    what = f"let items expire by {want.ttl}, a setting" if want.ttl else "end the expiry of items"
    return Change(want.name, what, tuple(calls))


def _stream(want: TableState, have: TableState) -> Change | None:
    if want.stream == have.stream:
        return None
    calls: list[Request] = []
    if have.stream is not None:
        calls.append(_stream_call(want.name, {"StreamEnabled": False}))
    if want.stream is not None:
        calls.append(_stream_call(want.name, {"StreamEnabled": True, "StreamViewType": want.stream}))
    what = f"begin a stream ({want.stream})" if want.stream else "end the stream"
    return Change(want.name, what, tuple(calls))


def _stream_call(table: str, specification: dict[str, Any]) -> Request:
    return "UpdateTable", {"TableName": table, "StreamSpecification": specification}


def _recovery(want: TableState, have: TableState) -> Change | None:
    if want.point_in_time_recovery == have.point_in_time_recovery:
        return None
    setting = {"PointInTimeRecoveryEnabled": want.point_in_time_recovery}
    request = {"TableName": want.name, "PointInTimeRecoverySpecification": setting}
    what = f"turn {'on' if want.point_in_time_recovery else 'off'} the point-in-time recovery"
    return Change(want.name, what, (("UpdateContinuousBackups", request),))


def _protection(want: TableState, have: TableState) -> Change | None:
    if want.deletion_protection == have.deletion_protection:
        return None
    what = f"turn {'on' if want.deletion_protection else 'off'} the deletion protection"
    return _update(want.name, what, DeletionProtectionEnabled=want.deletion_protection)


def _class(want: TableState, have: TableState) -> Change | None:
    if want.table_class == have.table_class:
        return None
    return _update(want.name, f"change the class to {want.table_class}", TableClass=want.table_class)


def _encryption(want: TableState, have: TableState) -> Change | None:
    # A key may be named by its id, its alias or its ARN: what is the same key cannot be told from here.
    if want.encryption_key is None or have.encryption_key is not None:
        return None
    setting = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": want.encryption_key}
    return _update(want.name, f"change the encryption key to {want.encryption_key}", SSESpecification=setting)


def _tags(want: TableState, have: TableState) -> Change | None:
    """Only what the design names: tags of others are theirs."""
    missing = [tag for tag in want.tags if tag not in have.tags]
    if not missing:
        return None
    tags = [{"Key": name, "Value": value} for name, value in missing]
    what = f"set the tags {', '.join(name for name, _ in missing)}"
    return Change(want.name, what, (("TagResource", {"ResourceArn": have.arn, "Tags": tags}),))
