"""The console in an application of its user: mounted below a path, with designs that are added."""

import subprocess
import sys
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from tablewright import Console, Design, connect
from tablewright.errors import UsageError
from tests.console.shop import Order

design = Design("shop", entities=[Order])
HEADERS = {"X-Tablewright-Console": "1"}


def client_of(console: Console, host: str = "localhost:8080") -> TestClient:
    application = Starlette(routes=[Mount("/console", console)])
    return TestClient(application, base_url=f"http://{host}", headers=HEADERS)


def test_a_token_opens_the_console_of_the_added_designs() -> None:
    with connect(design) as db:
        console = Console()
        console.add(db, "shop:design", "shop.db", title="Shop")
        http = client_of(console)
        assert http.get("/console/").status_code == 401
        assert http.get("/console/", params={"token": console.issue_token()}).status_code == 200
        (summary,) = http.get("/console/api/v1/designs").json()["designs"]
        assert (summary["name"], summary["title"], summary["location"]) == ("shop", "Shop", "shop.db")
        assert (summary["writable"], summary["reveal"]) == (False, False)
        refused = http.post("/console/api/v1/designs/shop/edit/undo", json={})
        assert refused.json()["error"]["message"].endswith("Start it with writable=True to change data.")
        with pytest.raises(UsageError, match="two designs are named shop"):
            console.add(db, "shop:design", "shop.db")
        console.close()


def test_sessions_last_with_a_key_and_hosts_are_named(tmp_path: Path) -> None:
    first, second = (Console(tmp_path / "console.key", hosts=["app.example.org"]) for _ in range(2))
    http = client_of(first, "app.example.org")
    http.get("/console/", params={"token": first.issue_token()})
    again = client_of(second, "app.example.org")
    again.cookies = http.cookies
    assert again.get("/console/api/v1/designs").json() == {"designs": []}
    assert client_of(Console(), "app.example.org").get("/console/").status_code == 403


def test_without_its_packages_only_the_console_is_missing() -> None:
    """`from tablewright import *` works in a base installation; the error comes with the first console."""
    program = (
        "import sys; sys.modules['starlette'] = None; import tablewright\n"
        "from tablewright import *\n"
        "try: Console()\nexcept errors.UsageError as error: print(error)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert "package starlette is not installed; run: pip install 'tablewright[console]'" in result.stdout
