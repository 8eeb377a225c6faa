"""The page of results has a place for each benchmark, and a run replaces only the tables of its own."""

import inspect
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks import results
from benchmarks.__main__ import COMPARISONS, STUDIES, main


@pytest.mark.parametrize("name", COMPARISONS)
def test_each_comparison_has_one_place(name: str) -> None:
    page = results.FILE.read_text()
    assert "replaced" in results.replaced(page, name, "replaced")


def test_only_the_tables_of_the_benchmark_are_replaced(tmp_path: Path) -> None:
    page = tmp_path / "RESULTS.md"
    page.write_text(
        "a\n<!-- measured: one -->\nold\n<!-- end -->\nb\n<!-- measured: two -->\n\\1\n<!-- end -->\n"
    )
    results.write("one", "new \\2", page)
    assert page.read_text() == (
        "a\n<!-- measured: one -->\n\nnew \\2\n\n<!-- end -->\nb\n<!-- measured: two -->\n\\1\n<!-- end -->\n"
    )


def test_a_page_without_a_place_is_an_error() -> None:
    with pytest.raises(ValueError, match="has 0 places for wire; there must be one: <!-- measured: wire -->"):
        results.replaced("text", "wire", "new")


@pytest.mark.parametrize("name", [*COMPARISONS, *STUDIES])
def test_each_benchmark_takes_the_settings(name: str) -> None:
    if name == "vectors":
        pytest.importorskip("numpy")
    assert list(inspect.signature(import_module(f"benchmarks.{name}").report).parameters) == ["settings"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "no benchmark nothing; there are: engine, access, "),
        (["--quick", "--write"], "--quick measures too little to write the results"),
        (["--write", "ion"], "RESULTS.md has no place for the tables of ion"),
    ],
)
def test_invalid_arguments(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert (ended.value.code, message in capsys.readouterr().err) == (2, True)
