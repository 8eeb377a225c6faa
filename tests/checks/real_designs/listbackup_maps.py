"""The maps inside the items of ListBackup.ai v2."""

from typing import Any, Literal

from tests.checks.real_designs.maps import Map

Object = dict[str, Any]


class Preferences(Map):
    timezone: str
    notifications: Object


class BillingInfo(Map):
    stripe_customer_id: str
    subscription_id: str
    payment_method: str


class Limits(Map):
    sources: int
    users: int
    storage: int


class AccountMetadata(Map):
    industry: str
    size: str
    custom_fields: Object


class AccountPermissions(Map):
    sources: list[str]
    users: list[str]
    billing: list[str]


class Member(Map):
    user_id: str
    role: Literal["lead", "member"]
    joined_at: str


class TeamPermissions(Map):
    sources: list[str]
    reports: list[str]
    settings: list[str]


class SourceCredentials(Map):
    type: str
    encrypted_data: str


class SourceConfig(Map):
    sync_interval: Literal["daily", "hourly", "realtime"]
    data_types: list[str]
    filters: Object
    webhooks: Object


class SyncStatus(Map):
    state: Literal["idle", "syncing", "error"]
    progress: int
    message: str


class SourceMetadata(Map):
    account_info: Object
    limits: Object
    custom_fields: Object


class Details(Map):
    before: Object
    after: Object
    metadata: Object


class DateRange(Map):
    start: str
    end: str


class JobConfig(Map):
    data_types: list[str]
    date_range: DateRange
    filters: Object
    options: Object


class JobProgress(Map):
    total: int
    processed: int
    failed: int
    percentage: int


class JobResult(Map):
    records_processed: int
    errors: list[Any]
    output_location: str
    summary: Object


class ConnectionCredentials(Map):
    access_token: str
    refresh_token: str
    expires_at: str
    scope: str


class ConnectionMetadata(Map):
    account_name: str
    account_id: str
    limits: Object


class StateMetadata(Map):
    source_id: str
    connection_id: str
    return_url: str


class Tokens(Map):
    access_token: str
    refresh_token: str
    token_type: str
    expires_in: int
    scope: str
    expires_at: str


class TokenMetadata(Map):
    user_id: str
    platform_account_id: str
    platform_account_name: str


class TaggedResource(Map):
    resource_id: str
    attached_at: str
    attached_by: str


class NotificationData(Map):
    resource_type: str
    resource_id: str
    action_url: str
    metadata: Object
