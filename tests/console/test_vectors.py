"""Vector indexes in the console: the design shows them, and a Nearest is run, explained and priced."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tablewright import connect
from tablewright.console.api.design_view import describe_design
from tablewright.console.api.overview_view import design_picture, table_counts
from tablewright.console.api.patterns_view import describe_pattern, explain_pattern
from tablewright.console.measured_traffic import RequestUses
from tablewright.console.open_designs import OpenDesign
from tablewright.console.patterns.pattern_examples import example_parameters
from tablewright.console.patterns.pattern_runs import run_pattern, show_run
from tests.access.reads.library import SimilarNotes, TitlesNearby, design, note


@pytest.fixture
def opened() -> Iterator[OpenDesign]:
    with connect(design, environment="dev") as db:
        db.create(note("cats", 0.9, 0.1, 0, place=[1, 2]))
        db.create(note("dogs", 0.8, 0.3, 0, readers=["ada"]))
        yield OpenDesign(db, "Library", "memory", "tests.access.reads.library:design")


def request(opened: OpenDesign, body: Any = None, **path: str) -> Any:
    return SimpleNamespace(design=opened, path=path, parse=lambda kind: kind.model_validate(body))


def test_the_design_and_its_picture_have_vector_indexes(opened: OpenDesign) -> None:
    (table,) = describe_design(request(opened))["tables"]
    assert table["vector_indexes"][0] == {
        "name": "by-meaning",
        "attribute": "meaning",
        "dimensions": 3,
        "distance": "COSINE",
        "partition": ("tenant",),
        "filters": ("kind", "year", "type"),
        "projection": "all attributes",
    }
    (picture,) = design_picture(opened)
    assert [index["name"] for index in picture["vector_indexes"]] == ["by-meaning", "by-place"]
    assert table_counts(opened, "library-dev")["indexes"]["by-meaning"]["items"] == 2


def test_a_search_is_run_with_scores_and_without_problems(opened: OpenDesign) -> None:
    pattern = SimilarNotes(meaning=[1, 0, 0], tenant="acme")
    shown = show_run(opened, pattern, run_pattern(opened, pattern, 50))
    assert [row["title"] for row in shown["rows"]] == [
        "PK = 'NOTE#cats', SK = 'NOTE'",
        "PK = 'NOTE#dogs', SK = 'NOTE'",
    ]
    assert all(row["expected"] and row["problem"] is None for row in shown["rows"])
    assert shown["rows"][0]["score"] < shown["rows"][1]["score"]
    assert (shown["units"], shown["searched_bytes"]) == (0, 1024)
    (call,) = shown["requests"]
    assert (call["operation"], call["index"], call["returned"]) == ("SearchVectors", "by-meaning", 2)


def test_rows_of_some_fields_are_run(opened: OpenDesign) -> None:
    pattern = TitlesNearby(place=[1, 2])
    (row,) = show_run(opened, pattern, run_pattern(opened, pattern))["rows"]
    assert (row["item"]["title"], row["score"]) == ({"S": "Cats"}, 0)


def test_an_example_is_taken_from_the_stored_items(opened: OpenDesign) -> None:
    parameters, why = example_parameters(opened, SimilarNotes)
    assert why == ""
    assert parameters is not None
    assert parameters["meaning"] in ([0.9, 0.1, 0.0], [0.8, 0.3, 0.0])


def test_a_search_is_described_and_explained(opened: OpenDesign) -> None:
    described = describe_pattern(request(opened, pattern="SimilarNotes"))
    assert (described["kind"], described["index"], described["pages"]) == ("nearest", "by-meaning", False)
    assert described["cost"]["searched_bytes"] == 1024
    assert "dynamodb:SearchVectors" in str(described["policy"]["documents"])
    body = {"parameters": {"meaning": [1, 0, 0], "tenant": "acme"}}
    explained = explain_pattern(request(opened, body, pattern="SimilarNotes"))
    assert (explained["operation"], explained["units"], explained["searched_bytes"] > 0) == (
        "SearchVectors",
        0,
        True,
    )
    assert "client.search_vectors(" in explained["code"]["boto3"]
    assert "SimilarNotes(" in explained["code"]["tablewright"]


def test_measured_traffic_ignores_searches(opened: OpenDesign) -> None:
    uses = RequestUses(design, opened.tables)
    seen: list[Any] = []
    connection: Any = opened.db.connection
    end = connection.observe(lambda observed: seen.append(uses.of(observed)))
    opened.db.run(SimilarNotes(meaning=[1, 0, 0], tenant="acme"))
    end()
    assert seen == [[]]
