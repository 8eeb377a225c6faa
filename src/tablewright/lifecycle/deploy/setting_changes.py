"""Setting changes: the steps that change settings of a table other than keys and indexes.

Only settings that the design states, and that the store can tell, are compared. A change that cannot be undone says
what is lost.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tablewright.design.billing import (
    UNLIMITED,
    Autoscaled,
    Billing,
    OnDemand,
    Provisioned,
    throughput_members,
)
from tablewright.design.tables import (
    LONGEST_RECOVERY,
    Request,
    encryption_members,
    expiry_request,
    insights_request,
    recovery_request,
    replica_request,
)
from tablewright.lifecycle.deploy.deployment_steps import SettingChange
from tablewright.lifecycle.deploy.table_state import IndexState, TableState, is_same_key

_ROOT = re.compile(r"arn:aws[a-z-]*:iam::([0-9]{12}):root").fullmatch


def setting_changes(desired: TableState, current: TableState) -> Iterator[SettingChange]:
    """Return one step for each setting that differs."""
    yield from changed_settings(desired, current).values()
    yield from index_changes(desired, current)
    if "replicas" in desired.stated - current.unread:
        yield from _replicas(desired, current)


def changed_settings(desired: TableState, current: TableState) -> dict[str, SettingChange]:
    """Return the step for each setting of the table itself that differs, without indexes and replicas."""
    compared = desired.stated - current.unread
    changes = {name: compare(desired, current) for name, compare in _COMPARISONS if name in compared}
    return {name: change for name, change in changes.items() if change is not None}


def unmentioned(desired: TableState, current: TableState) -> Iterator[str]:
    """Describe the settings of a table that its design does not state, and that change what programs see."""
    if "ttl" not in desired.stated and current.ttl:
        yield f"items expire by {current.ttl}, which the design does not state; it is left so (ttl=False disables it)"
    if "stream" not in desired.stated and current.stream:
        yield (
            f"the stream ({current.stream}) is not in the design; it is left so (stream=False disables it)"
        )


def _update(table: str, what: str, loss: str = "", **members: Any) -> SettingChange:
    return SettingChange(table, what, (("UpdateTable", {"TableName": table, **members}),), loss)


def _is_met(desired: Billing, current: Billing) -> bool:
    if isinstance(desired, Autoscaled) and isinstance(current, Provisioned):
        return desired.contains(current.read, current.write)
    return desired == current


def _billing(desired: TableState, current: TableState) -> SettingChange | None:
    """Change the billing mode or the capacity of a table, with that of its indexes if the mode changes."""
    if _is_met(desired.billing, current.billing):
        return None
    mode_changes = isinstance(desired.billing, OnDemand) != isinstance(current.billing, OnDemand)
    members: dict[str, Any]
    if isinstance(desired.billing, OnDemand):
        members = {"BillingMode": "PAY_PER_REQUEST"} if mode_changes else {}
        if desired.billing != OnDemand() or not mode_changes:
            members |= {"OnDemandThroughput": _maximums(desired.billing)}
        return _update(desired.name, f"change the billing to {shown_billing(desired.billing)}", **members)
    members = throughput_members(desired.billing)
    if mode_changes:
        members = {"BillingMode": "PROVISIONED"} | members
        updates = [
            _capacity_update(index.name, (desired.index(index.name) or index).billing or desired.billing)
            for index in current.indexes
            if not index.local
        ]
        members |= {"GlobalSecondaryIndexUpdates": updates} if updates else {}
    return _update(desired.name, f"change the billing to {shown_billing(desired.billing)}", **members)


def _capacity_update(index: str, billing: Billing) -> dict[str, Any]:
    members = (
        throughput_members(billing)
        if isinstance(billing, Provisioned)
        else {"OnDemandThroughput": _maximums(billing)}
    )
    return {"Update": {"IndexName": index, **members}}


def _maximums(billing: OnDemand) -> dict[str, int]:
    return {
        "MaxReadRequestUnits": billing.max_read or UNLIMITED,
        "MaxWriteRequestUnits": billing.max_write or UNLIMITED,
    }


def shown_billing(billing: Billing) -> str:
    """Describe a billing mode with its limits.

    >>> shown_billing(Provisioned(5, 7))
    '5 read and 7 write units'
    """
    if isinstance(billing, Provisioned):
        scaled = ", autoscaled" if isinstance(billing, Autoscaled) else ""
        return f"{billing.read} read and {billing.write} write units{scaled}"
    limits = [
        f"{units} {kind}"
        for units, kind in ((billing.max_read, "read"), (billing.max_write, "write"))
        if units
    ]
    return "on demand" + (f", at most {' and '.join(limits)} units a second" if limits else "")


def _warm(desired: TableState, current: TableState) -> SettingChange | None:
    if desired.warm is None or _is_warm(desired, current):
        return None
    what = f"raise the warm throughput to {desired.warm.read} read and {desired.warm.write} write units"
    return _update(desired.name, what, WarmThroughput=desired.warm.members())


def _is_warm(desired: TableState | IndexState, current: TableState | IndexState) -> bool:
    """Whether the warm throughput is enough; DynamoDB raises it by itself, and never lowers it."""
    if desired.warm is None:
        return True
    warm = current.warm
    return warm is not None and warm.read >= desired.warm.read and warm.write >= desired.warm.write


def index_changes(desired: TableState, current: TableState) -> Iterator[SettingChange]:
    """Return a step for each index whose capacity or insights differ; a change of the mode includes the capacity."""
    same_mode = isinstance(desired.billing, OnDemand) == isinstance(current.billing, OnDemand)
    for index in desired.indexes:
        existing = current.index(index.name)
        if index.local or existing is None or not existing.is_like(index):
            continue
        where = f"of index {index.name}"
        billing, has = index.billing, existing.billing
        if "billing" in desired.stated and billing and has and same_mode and not _is_met(billing, has):
            what = f"change the capacity {where} to {shown_billing(billing)}"
            yield _update(
                desired.name, what, GlobalSecondaryIndexUpdates=[_capacity_update(index.name, billing)]
            )
        if index.warm is not None and not _is_warm(index, existing):
            warm = {"Update": {"IndexName": index.name, "WarmThroughput": index.warm.members()}}
            yield _update(
                desired.name, f"raise the warm throughput {where}", GlobalSecondaryIndexUpdates=[warm]
            )
        if None not in (index.insights, existing.insights) and index.insights != existing.insights:
            yield _insights_change(desired.name, bool(index.insights), index.name)


def _expiry(desired: TableState, current: TableState) -> SettingChange | None:
    if desired.ttl == current.ttl:
        return None
    calls: list[Request] = []
    for attribute, enabled in ((current.ttl, False), (desired.ttl, True)):
        if attribute is not None:
            calls.append(expiry_request(desired.name, attribute, enabled=enabled))
    what = f"set the TTL attribute to {desired.ttl}" if desired.ttl else "disable TTL"
    loss = []
    if current.ttl:
        loss.append(f"items no longer expire by {current.ttl}")
    if desired.ttl and (current.items or current.ttl):
        loss.append(f"existing items whose {desired.ttl} has passed are deleted")
    return SettingChange(desired.name, what, tuple(calls), "; ".join(loss))


def _stream(desired: TableState, current: TableState) -> SettingChange | None:
    if desired.stream == current.stream:
        return None
    calls: list[Request] = []
    if current.stream is not None:
        calls.append(_stream_call(desired.name, {"StreamEnabled": False}))
    if desired.stream is not None:
        calls.append(_stream_call(desired.name, {"StreamEnabled": True, "StreamViewType": desired.stream}))
    what = f"enable the stream ({desired.stream})" if desired.stream else "disable the stream"
    loss = (
        f"records of the stream ({current.stream}) that are not read yet are lost, and its consumers stop"
        if current.stream
        else ""
    )
    return SettingChange(desired.name, what, tuple(calls), loss)


def _stream_call(table: str, specification: dict[str, Any]) -> Request:
    return "UpdateTable", {"TableName": table, "StreamSpecification": specification}


def _recovery(desired: TableState, current: TableState) -> SettingChange | None:
    on, days = desired.point_in_time_recovery, desired.recovery_days
    had = current.recovery_days or LONGEST_RECOVERY
    if on == current.point_in_time_recovery and (not on or days is None or days == had):
        return None
    what, loss = "disable point-in-time recovery", ""
    if on:
        what = "enable point-in-time recovery" + (f" of {days} days" if days is not None else "")
        if current.point_in_time_recovery and days is not None and days < had:
            loss = (
                f"the history before the last {days} days is lost; no restore to an earlier time is possible"
            )
    elif current.point_in_time_recovery:
        loss = "the history of the table is lost; no restore to an earlier time is possible"
    return SettingChange(desired.name, what, (recovery_request(desired.name, enabled=on, days=days),), loss)


def protection_change(desired: TableState, current: TableState) -> SettingChange | None:
    """Return the step that enables or disables deletion protection, or None."""
    on = desired.deletion_protection
    if on == current.deletion_protection:
        return None
    what, loss = ("enable", "") if on else ("disable", "the table is no longer protected from deletion")
    return _update(desired.name, f"{what} deletion protection", loss, DeletionProtectionEnabled=on)


def _class(desired: TableState, current: TableState) -> SettingChange | None:
    if desired.table_class == current.table_class:
        return None
    return _update(desired.name, f"change the class to {desired.table_class}", TableClass=desired.table_class)


def _encryption(desired: TableState, current: TableState) -> SettingChange | None:
    if desired.encryption_key is None:
        if current.encryption_key is None:
            return None
        what = "change the encryption key to the key that DynamoDB owns"
        return _update(desired.name, what, SSESpecification={"Enabled": False})
    if is_same_key(desired.encryption_key, current.encryption_key):
        return None
    setting = encryption_members(desired.encryption_key)
    return _update(
        desired.name, f"change the encryption key to {desired.encryption_key}", SSESpecification=setting
    )


def _insights(desired: TableState, current: TableState) -> SettingChange | None:
    if desired.insights == current.insights:
        return None
    return _insights_change(desired.name, desired.insights)


def _insights_change(table: str, on: bool, index: str | None = None) -> SettingChange:
    what = f"{'enable' if on else 'disable'} contributor insights" + (f" of index {index}" if index else "")
    return SettingChange(table, what, (insights_request(table, enabled=on, index=index),))


def _policy(desired: TableState, current: TableState) -> SettingChange | None:
    if _plain(desired.policy) == _plain(current.policy):
        return None
    if desired.policy is None:
        request = {"ResourceArn": current.arn}
        loss = "the access that the policy gives or denies changes"
        return SettingChange(
            desired.name, "remove the resource policy", (("DeleteResourcePolicy", request),), loss
        )
    request = {"ResourceArn": current.arn, "Policy": json.dumps(desired.policy)}
    return SettingChange(desired.name, "set the resource policy", (("PutResourcePolicy", request),))


def _plain(policy: Any) -> Any:
    """A policy in one form: DynamoDB returns a list of one text as the text, and an account as its root user."""
    if isinstance(policy, Mapping):
        return {name: _plain(member) for name, member in policy.items()}
    if isinstance(policy, list | tuple):
        return _plain(policy[0]) if len(policy) == 1 else [_plain(element) for element in policy]
    root = _ROOT(policy) if isinstance(policy, str) else None
    return root[1] if root else policy


def _replicas(desired: TableState, current: TableState) -> Iterator[SettingChange]:
    for region in sorted(desired.replicas - current.replicas):
        request = replica_request(desired.name, "Create", region)
        yield SettingChange(desired.name, f"add a replica in {region}", (request,))
    for region in sorted(current.replicas - desired.replicas):
        request = replica_request(desired.name, "Delete", region)
        loss = f"the table in {region} is deleted; programs that use it there fail"
        yield SettingChange(desired.name, f"remove the replica in {region}", (request,), loss)


def _tags(desired: TableState, current: TableState) -> SettingChange | None:
    """Compare only the tags of the design; other tools may have set others."""
    missing = [tag for tag in desired.tags if tag not in current.tags]
    if not missing:
        return None
    tags = [{"Key": name, "Value": value} for name, value in missing]
    what = f"set the tags {', '.join(name for name, _ in missing)}"
    return SettingChange(desired.name, what, (("TagResource", {"ResourceArn": current.arn, "Tags": tags}),))


_COMPARISONS = (
    ("billing", _billing),
    ("warm_throughput", _warm),
    ("ttl", _expiry),
    ("stream", _stream),
    ("point_in_time_recovery", _recovery),
    ("table_class", _class),
    ("encryption_key", _encryption),
    ("contributor_insights", _insights),
    ("resource_policy", _policy),
    ("tags", _tags),
    ("deletion_protection", protection_change),
)
