"""The reference of the API is that of its endpoints."""

from tablewright.console.application import VIEWS, routes_of
from tests.console import api_reference


def test_the_reference_is_current() -> None:
    fix = "run: python -m tests.console.api_reference"
    assert api_reference.PAGE.read_text() == api_reference.text(), fix


def test_every_endpoint_is_described() -> None:
    routes = [route for view in VIEWS for route in routes_of(view)]
    assert all((route.endpoint.__doc__ or "").strip() for route in routes)
    assert len({(route.method == "POST", route.path) for route in routes}) == len(routes)
