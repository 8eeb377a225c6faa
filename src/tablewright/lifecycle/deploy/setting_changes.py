"""Setting changes: the steps that change settings of a table other than keys and indexes. Each can be undone."""

from collections.abc import Iterator
from typing import Any

from tablewright.design.tables.billing import Provisioned
from tablewright.lifecycle.deploy.deployment_steps import Change, Request, throughput
from tablewright.lifecycle.deploy.table_state import TableState


def setting_changes(desired: TableState, current: TableState) -> Iterator[Change]:
    """Return one step for each setting that differs."""
    for compare in (_billing, _expiry, _stream, _recovery, _protection, _class, _encryption, _tags):
        change = compare(desired, current)
        if change is not None:
            yield change


def _update(table: str, what: str, **members: Any) -> Change:
    return Change(table, what, (("UpdateTable", {"TableName": table, **members}),))


def _billing(desired: TableState, current: TableState) -> Change | None:
    if desired.billing == current.billing:
        return None
    if not isinstance(desired.billing, Provisioned):
        return _update(desired.name, "change the billing to on demand", BillingMode="PAY_PER_REQUEST")
    units = throughput(desired.billing)
    members: dict[str, Any] = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units}
    if indexes := [index.name for index in current.indexes if not index.local]:
        members["GlobalSecondaryIndexUpdates"] = [
            {"Update": {"IndexName": name, "ProvisionedThroughput": units}} for name in indexes
        ]
    what = f"change the billing to {desired.billing.read} read and {desired.billing.write} write units"
    return _update(desired.name, what, **members)


def _expiry(desired: TableState, current: TableState) -> Change | None:
    if desired.ttl == current.ttl:
        return None
    calls: list[Request] = []
    for attribute, enabled in ((current.ttl, False), (desired.ttl, True)):
        if attribute is not None:
            setting = {"Enabled": enabled, "AttributeName": attribute}
            calls.append(
                ("UpdateTimeToLive", {"TableName": desired.name, "TimeToLiveSpecification": setting})
            )
    what = f"set the TTL attribute to {desired.ttl}" if desired.ttl else "disable TTL"
    return Change(desired.name, what, tuple(calls))


def _stream(desired: TableState, current: TableState) -> Change | None:
    if desired.stream == current.stream:
        return None
    calls: list[Request] = []
    if current.stream is not None:
        calls.append(_stream_call(desired.name, {"StreamEnabled": False}))
    if desired.stream is not None:
        calls.append(_stream_call(desired.name, {"StreamEnabled": True, "StreamViewType": desired.stream}))
    what = f"enable the stream ({desired.stream})" if desired.stream else "disable the stream"
    return Change(desired.name, what, tuple(calls))


def _stream_call(table: str, specification: dict[str, Any]) -> Request:
    return "UpdateTable", {"TableName": table, "StreamSpecification": specification}


def _recovery(desired: TableState, current: TableState) -> Change | None:
    if desired.point_in_time_recovery == current.point_in_time_recovery:
        return None
    setting = {"PointInTimeRecoveryEnabled": desired.point_in_time_recovery}
    request = {"TableName": desired.name, "PointInTimeRecoverySpecification": setting}
    what = f"{'enable' if desired.point_in_time_recovery else 'disable'} point-in-time recovery"
    return Change(desired.name, what, (("UpdateContinuousBackups", request),))


def _protection(desired: TableState, current: TableState) -> Change | None:
    if desired.deletion_protection == current.deletion_protection:
        return None
    what = f"{'enable' if desired.deletion_protection else 'disable'} deletion protection"
    return _update(desired.name, what, DeletionProtectionEnabled=desired.deletion_protection)


def _class(desired: TableState, current: TableState) -> Change | None:
    if desired.table_class == current.table_class:
        return None
    return _update(desired.name, f"change the class to {desired.table_class}", TableClass=desired.table_class)


def _encryption(desired: TableState, current: TableState) -> Change | None:
    # A key may be named by its id, its alias or its ARN, so two names cannot be compared here.
    if desired.encryption_key is None or current.encryption_key is not None:
        return None
    setting = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": desired.encryption_key}
    return _update(
        desired.name, f"change the encryption key to {desired.encryption_key}", SSESpecification=setting
    )


def _tags(desired: TableState, current: TableState) -> Change | None:
    """Compare only the tags of the design; other tools may have set others."""
    missing = [tag for tag in desired.tags if tag not in current.tags]
    if not missing:
        return None
    tags = [{"Key": name, "Value": value} for name, value in missing]
    what = f"set the tags {', '.join(name for name, _ in missing)}"
    return Change(desired.name, what, (("TagResource", {"ResourceArn": current.arn, "Tags": tags}),))
