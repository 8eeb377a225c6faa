"""CreateTable: create an empty table with its indexes."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.jobs.backup_arns import require_account
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.arns import parse_arn, table_name
from tablewright.engine.core.requests.shapes import Boolean, ListOf, Text, required
from tablewright.engine.core.requests.unsupported import UNSUPPORTED, member_of_feature, members_of_features
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.tables.table_definitions import (
    NEW_SETTING_CHECKS,
    NEW_TABLE_CHECKS,
    NEW_TABLES,
    new_definition,
)
from tablewright.engine.core.tables.table_descriptions import describe_new, show_created
from tablewright.engine.core.tables.table_rules import require_indexes
from tablewright.engine.core.tables.table_settings import require_settings
from tablewright.engine.core.tables.table_shapes import (
    ATTRIBUTE_DEFINITIONS,
    BILLING_MODE,
    ENCRYPTION,
    GLOBAL_INDEX,
    KEYS,
    LOCAL_INDEX,
    ON_DEMAND,
    TABLE_NAME,
    TAGS,
    THROUGHPUT,
    WARM,
    TableShape,
)
from tablewright.engine.core.tables.tags import read_tags
from tablewright.engine.core.tables.throughput import (
    require_billing,
    require_index_billing,
    require_maxima,
    require_quota,
    require_warm_throughput,
)
from tablewright.errors import ResourceInUse

NAME = "CreateTable"
MODE = "write"
SHAPE = TableShape(
    AttributeDefinitions=required(ATTRIBUTE_DEFINITIONS),
    TableName=TABLE_NAME,
    BillingMode=BILLING_MODE,
    ProvisionedThroughput=THROUGHPUT,
    KeySchema=KEYS,
    GlobalSecondaryIndexes=ListOf(GLOBAL_INDEX),
    LocalSecondaryIndexes=ListOf(LOCAL_INDEX),
    StreamSpecification=member_of_feature("CreateTable", "StreamSpecification"),
    SSESpecification=ENCRYPTION,
    Tags=TAGS,
    TableClass=Text(),
    DeletionProtectionEnabled=Boolean(),
    OnDemandThroughput=ON_DEMAND,
    WarmThroughput=WARM,
    **members_of_features("CreateTable"),
    GlobalTableSourceArn=UNSUPPORTED,
    GlobalTableSettingsReplicationMode=UNSUPPORTED,
)


@dataclass(frozen=True, slots=True)
class CreateTable:
    """Parsed CreateTable request: the table's name, the request as sent, and the tags."""

    name: str
    raw: dict[str, Any]
    tags: dict[str, str]


def parse(request: dict[str, Any]) -> CreateTable:
    """Parse the request, in AWS's order of checks."""
    require_billing(request)
    require_indexes(request)
    require_index_billing(request)
    require_maxima(request)
    require_warm_throughput(request)
    for check in NEW_SETTING_CHECKS:
        check(request)
    require_settings(request)
    tags = read_tags(request.get("Tags") or ())
    for check in NEW_TABLE_CHECKS:
        check(request)
    return CreateTable(table_name(request["TableName"]), request, tags)


def run(tx: Writing, request: CreateTable) -> Reply:
    """Create the spaces and write the definition."""
    catalog, region = tx.state.catalog, tx.state.region
    catalog.require_region(request.raw["TableName"])
    arn = parse_arn(request.raw["TableName"])
    if arn is not None:
        require_account(arn.account)
    if catalog.find(request.name):
        raise ResourceInUse(f"Table already exists: {request.name}")
    if catalog.announced(tx.rows, request.name):
        raise ResourceInUse(f"Table is being used: {request.name}")
    require_quota(request.raw.get("ProvisionedThroughput"), region)
    for index in request.raw.get("GlobalSecondaryIndexes") or ():
        require_quota(index.get("ProvisionedThroughput"), region, index["IndexName"])
    now = round(tx.now(), 3)
    definition = new_definition(tx, describe_new(request.raw, region, now), request.tags)
    for prepare in NEW_TABLES:
        prepare(tx, definition, request.raw)
    return {"TableDescription": show_created(tx, catalog.save(tx.rows, definition), request.raw)}
