"""DescribeImport and ListImports."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ARN, parse_name
from tablewright.engine.core.jobs.job_pages import LARGEST_PAGE, newest, page_of
from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.shapes import Number, Shape, Text
from tablewright.engine.core.sessions import Reading
from tablewright.errors import ImportNotFound

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
    found = [
        each for each in newest(tx, "import") if request.table in (None, each[1]["Description"]["TableArn"])
    ]
    page, token = page_of(found, "import", request.size, request.token)
    reply: Reply = {"ImportSummaryList": [_show(document["Description"]) for document in page]}
    return reply | ({"NextToken": token} if token else {})


def _show(description: dict[str, Any]) -> dict[str, Any]:
    return {name: description[name] for name in _SHOWN if name in description}


OPERATIONS = (
    Operation(
        "DescribeImport",
        _DESCRIBE_IMPORT,
        "read",
        _parse_describe_import,
        _run_describe_import,
    ),
    Operation(
        "ListImports",
        _LIST_IMPORTS,
        "snapshot",
        _parse_list_imports,
        _run_list_imports,
    ),
)
