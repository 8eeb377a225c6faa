"""Query completion: the words of the design, and templates that DynamoDB understands."""

from tablewright.console.queries.query_completion import completion, template
from tablewright.console.queries.raw_requests import OPERATIONS, raw_request
from tests.console.queries.secret_design import secret_console


def test_the_words_contain_tables_indexes_attributes_and_fields() -> None:
    with secret_console(0) as console:
        found = completion(console.opened)
    table = next(each for each in found["tables"] if each["name"] == "app")
    assert table["indexes"] == ["GSI1", "Keys"]
    assert {"PK", "type", "userId"} <= set(table["attributes"])
    assert table["fields"]["user_id"] == "userId"
    assert [operation["name"] for operation in found["operations"]] == list(OPERATIONS)


def test_every_template_is_a_request_of_the_console() -> None:
    with secret_console(0) as console:
        for operation in OPERATIONS:
            for table in ("app", "events"):
                request = raw_request(console.opened, operation, template(console.opened, operation, table))
                assert list(request.tables) == [table]
