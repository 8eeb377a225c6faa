"""The permissions of requests about statements: golden cases."""

from tests.engine.features.authorization.permission_cases import play


def test_the_permissions_of_requests_about_statements(update_golden: bool) -> None:
    play("statements.txt", update=update_golden)
