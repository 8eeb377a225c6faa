"""The permissions of requests about tables: golden cases."""

from tests.engine.authorization.permission_cases import play


def test_the_permissions_of_requests_about_tables(update_golden: bool) -> None:
    play("tables.txt", update=update_golden)
