"""Writes docs/reference/console-api.md from the endpoints: python -m tests.console.api_reference"""

import inspect
from pathlib import Path

from tablewright.console.application import VIEWS, routes_of

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "console-api.md"
INTRODUCTION = """\
# The API of the console

The page of [the console](../how-to/console.md) uses this API, and other programs can use it too. Paths are below
`/api/v1/designs/{design}`; `GET /api/v1/designs` lists the open designs. Replies are JSON. An error has a status of 400
or more, and the body `{"error": {"code", "message", "fields"}}`; `fields` has a message for each wrong member of the
request. Attribute values are in DynamoDB's JSON; values of secret fields are replaced by `{"HIDDEN": true}`.

A program opens a session as a browser does, with the token of the printed address, and sends the cookie:

    curl -c session 'http://127.0.0.1:8090/?token=...'
    curl -b session http://127.0.0.1:8090/api/v1/designs

A POST also needs the header `X-Tablewright-Console: 1`. Endpoints that change data reply 403 unless the console was
started with `--write`. Event streams are server-sent events: each `data:` line is JSON.
"""


def text() -> str:
    """Return the page."""
    parts = [INTRODUCTION]
    for view in VIEWS:
        routes = routes_of(view)
        title = view.removesuffix("_view").replace("_", " ").capitalize()
        parts.append(f"\n## {title}\n\n| endpoint | description |\n|---|---|")
        for route in routes:
            method = "GET (events)" if route.method == "EVENTS" else route.method
            writes = " Needs `--write`." if route.writes else ""
            summary = (inspect.getdoc(route.endpoint) or "").partition("\n\n")[0].replace("\n", " ")
            parts.append(f"| `{method} {route.path or '/'}` | {summary}{writes} |")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text())
