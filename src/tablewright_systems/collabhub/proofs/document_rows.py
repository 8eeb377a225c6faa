"""Rows exactly as the document prints them: no lock, no item and no attribute that this design adds.

`document_rows.json` has one row of each type: a founder with a startup, a talent who applied, an investor with access,
and their messages. `{p}` stands for the prefix of all ids.
"""

import json
from pathlib import Path
from typing import Any

from tablewright import Repository, errors, writes
from tablewright_systems.collabhub import design

MESSAGE_ID = "01K1JH5Z8056ZYKZ3G9GT2NGG2"
_TEMPLATE = Path(__file__).with_name("document_rows.json")


def put_rows(db: Repository, prefix: str) -> None:
    """Put the rows as another program does; all ids begin with the prefix."""
    for row in json.loads(_TEMPLATE.read_text().replace("{p}", prefix)):
        raw_call(db, "PutItem", Item=_attribute(row)["M"])


@writes.retrying(on=(errors.TransactionConflict, errors.ProvisionedThroughputExceeded))
def raw_call(db: Repository, operation: str, **request: Any) -> dict[str, Any]:
    """Call the store without the design, as another program does."""
    table = db.context.table_name(design.User.layout.table)
    return db.connection.call(operation, {"TableName": table, **request})


def _attribute(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case list():
            return {"L": [_attribute(each) for each in value]}
        case dict():
            return {"M": {name: _attribute(each) for name, each in value.items()}}
        case _:
            return {"S": value}
