"""The permissions of requests about items: golden cases."""

from tests.engine.features.authorization.permission_cases import play


def test_the_permissions_of_requests_about_items(update_golden: bool) -> None:
    play("items.txt", update=update_golden)
