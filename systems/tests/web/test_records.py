"""Records of the APIs, in the store of their system."""

from fastapi import FastAPI
from tablewright_systems.boards.design import design
from tablewright_systems.web.records import records_of

from tablewright import connect


def test_records_have_a_table_beside_those_of_the_system() -> None:
    with connect(design, prefix="test-") as db:
        api = FastAPI()
        api.state.db = db
        assert records_of(api) is records_of(api)
        assert "test-tablewright-api" in db.connection.call("ListTables", {})["TableNames"]
