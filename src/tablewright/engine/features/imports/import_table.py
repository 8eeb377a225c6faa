"""ImportTable: create a table from the files of a bucket.

DescribeImport and ListImports.
"""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.buckets.buckets import BUCKET_NAME, OWNER, PREFIX, TOKEN, Buckets
from tablewright.engine.core.buckets.import_files import zstd_opener
from tablewright.engine.core.buckets.ion_reader import require_amazon_ion
from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ARN, parse_name
from tablewright.engine.core.jobs.job_pages import LARGEST_PAGE, newest, page_of
from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.shapes import ListOf, Number, Shape, Text, one_of, required, structure
from tablewright.engine.core.requests.unsupported import member_of_feature
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.tables.table_rules import INVALID, require_indexes
from tablewright.engine.core.tables.table_settings import require_encryption
from tablewright.engine.core.tables.table_shapes import (
    ATTRIBUTE_DEFINITIONS,
    BILLING_MODE,
    ENCRYPTION,
    GLOBAL_INDEX,
    KEYS,
    ON_DEMAND,
    THROUGHPUT,
)
from tablewright.engine.core.tables.throughput import (
    require_billing,
    require_index_billing,
    require_maxima,
    require_quota,
)
from tablewright.engine.features.imports import import_job
from tablewright.errors import ImportConflict, ImportNotFound, ResourceInUse, ValidationError

NAME = "ImportTable"
MODE = "write"
PLANS = True
SHAPE = Shape(
    ClientToken=required(TOKEN),
    S3BucketSource=required(
        structure("S3BucketSource", S3BucketOwner=OWNER, S3Bucket=BUCKET_NAME, S3KeyPrefix=PREFIX)
    ),
    InputFormat=required(one_of("DYNAMODB_JSON", "ION", "CSV")),
    InputFormatOptions=structure(
        "InputFormatOptions",
        Csv=structure(
            "CsvOptions",
            Delimiter=Text(shortest=1, longest=1, pattern="[,;:|\\t ]"),
            HeaderList=ListOf(
                Text(shortest=1, longest=65536, pattern=r"[\x20-\x21\x23-\x2B\x2D-\x7E]*"),
                shortest=1,
                longest=255,
            ),
        ),
    ),
    InputCompressionType=one_of("ZSTD", "NONE", "GZIP"),
    TableCreationParameters=required(
        structure(
            "TableCreationParameters",
            TableName=Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+", required=True),
            AttributeDefinitions=required(ATTRIBUTE_DEFINITIONS),
            KeySchema=KEYS,
            BillingMode=BILLING_MODE,
            ProvisionedThroughput=THROUGHPUT,
            OnDemandThroughput=ON_DEMAND,
            SSESpecification=ENCRYPTION,
            GlobalSecondaryIndexes=ListOf(GLOBAL_INDEX),
            VectorIndexes=member_of_feature("CreateTable", "VectorIndexes"),
        )
    ),
)
_PARAMETERS = tuple(SHAPE.members["TableCreationParameters"].members)  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class ImportTable:
    """Parsed ImportTable request."""

    table: str
    token: str
    parameters: dict[str, Any]
    raw: dict[str, Any]


def parse(request: dict[str, Any]) -> ImportTable:
    """From the request to its value. What CreateTable has and this call has not is passed over, as on AWS."""
    requested = request["TableCreationParameters"]
    parameters = {name: requested[name] for name in _PARAMETERS if requested.get(name) is not None}
    form = request["InputFormat"]
    if request.get("InputFormatOptions") and form != "CSV":
        raise ValidationError(
            f"Invalid Request: Unsupported InputFormatOptions for the given input format: {form}."
        )
    require_billing(parameters)
    require_indexes(parameters)
    require_index_billing(parameters)
    require_maxima(parameters)
    require_encryption(parameters.get("SSESpecification"))
    if any(index.get("WarmThroughput") for index in parameters.get("GlobalSecondaryIndexes", ())):
        raise ValidationError(
            f"{INVALID}WarmThroughput is not supported on Global Secondary Indexes via ImportTable"
        )
    if request.get("InputCompressionType") == "ZSTD":
        zstd_opener()
    if request["InputFormat"] == "ION":
        require_amazon_ion()
    return ImportTable(parameters["TableName"], request["ClientToken"], parameters, request)


def run(tx: Writing, request: ImportTable) -> Reply:
    """Plan the import; a request with the same token and table returns the import planned before."""
    if tx.state.catalog.find(request.table):
        raise ResourceInUse(f"Table already exists: {request.table}")
    known = job_records.recall(tx, "import", request.token)
    if known is not None:
        if known["Table"] != request.table:
            raise ImportConflict("Import conflict: Duplicate request detected with conflicting parameters")
        document = job_records.find(tx.rows, "import", known["Key"]) or {}
        return {"ImportTableDescription": document["Description"]}
    region = tx.state.region
    require_quota(request.parameters.get("ProvisionedThroughput"), region)
    for index in request.parameters.get("GlobalSecondaryIndexes", ()):
        require_quota(index.get("ProvisionedThroughput"), region, index["IndexName"])
    Buckets(tx.state.bucket_directory).require()
    name, document = import_job.create(tx, request.raw, request.parameters)
    job_records.remember(tx, "import", request.token, {"Table": request.table, "Key": name.key})
    return {"ImportTableDescription": document["Description"]}


_DESCRIBE_IMPORT = Shape(ImportArn=ARN)


def _parse_describe_import(request: dict[str, Any]) -> str:
    """The import's ARN, validated."""
    parse_name(request["ImportArn"], "import")
    return request["ImportArn"]  # type: ignore[no-any-return]


def _run_describe_import(tx: Reading, request: str) -> Reply:
    """The description of the import."""
    document = job_records.find(tx.rows, "import", parse_name(request, "import").key)
    if document is None:
        raise ImportNotFound(f"Import not found: Import not found: {request}")
    return {"ImportTableDescription": document["Description"]}


_LIST_IMPORTS = Shape(
    TableArn=Text(shortest=1, longest=1024),
    PageSize=Number(least=1, most=LARGEST_PAGE),
    NextToken=Text(shortest=112, longest=1024, pattern="([0-9a-f]{16})+"),
)
_SHOWN = (
    "ImportArn",
    "ImportStatus",
    "TableArn",
    "S3BucketSource",
    "CloudWatchLogGroupArn",
    "InputFormat",
    "StartTime",
    "EndTime",
)


@dataclass(frozen=True, slots=True)
class ListImports:
    """Parsed ListImports request."""

    table: str | None
    size: int | None
    token: str | None


def _parse_list_imports(request: dict[str, Any]) -> ListImports:
    """Parse the request."""
    size = request.get("PageSize")
    return ListImports(request.get("TableArn"), size and int(size), request.get("NextToken"))


def _run_list_imports(tx: Reading, request: ListImports) -> Reply:
    """One page; imports into deleted tables are listed too."""
    imports = [
        entry
        for entry in newest(tx, "import")
        if request.table in (None, entry[1]["Description"]["TableArn"])
    ]
    page, token = page_of(imports, "import", request.size, request.token)
    reply: Reply = {"ImportSummaryList": [_show(document["Description"]) for document in page]}
    return reply | ({"NextToken": token} if token else {})


def _show(description: dict[str, Any]) -> dict[str, Any]:
    return {name: description[name] for name in _SHOWN if name in description}


OPERATIONS = (
    Operation("DescribeImport", _DESCRIBE_IMPORT, "read", _parse_describe_import, _run_describe_import),
    Operation("ListImports", _LIST_IMPORTS, "snapshot", _parse_list_imports, _run_list_imports),
)
