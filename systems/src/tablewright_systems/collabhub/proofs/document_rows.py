"""Rows exactly as the document prints them: no lock, no item and no attribute that this design adds.

`document_rows.json` has one row of each type: a founder with a startup, a talent who applied, an investor with access,
and their messages. `{p}` stands for the prefix of all ids.
"""

import json
from pathlib import Path

from tablewright import Repository
from tablewright_systems.collabhub import design
from tablewright_systems.verification import put_row

MESSAGE_ID = "01K1JH5Z8056ZYKZ3G9GT2NGG2"
_TEMPLATE = Path(__file__).with_name("document_rows.json")


def put_rows(db: Repository, prefix: str) -> None:
    """Put the rows as another program does; all ids begin with the prefix."""
    for row in json.loads(_TEMPLATE.read_text().replace("{p}", prefix)):
        put_row(db, design.User.layout.table, row)
