"""Every mutation fits its file and names tests that exist. `make mutants` runs the mutations themselves."""

import pytest
from tablewright_systems.registry import SYSTEMS

from systems.tests.mutants.__main__ import main
from systems.tests.mutants.discover import checks_in, checks_of
from systems.tests.mutants.mutation import PACKAGE, ROOT, Mutation, all_mutations, mutations_of

MINIMUM = 60
MINIMUM_OF_SYSTEM = 13
MUTATIONS = all_mutations()


@pytest.mark.parametrize(
    "mutation",
    [value for _, value in MUTATIONS],
    ids=[f"{system}-{value.label}" for system, value in MUTATIONS],
)
def test_mutation_fits_its_file(mutation: Mutation) -> None:
    text = (PACKAGE / mutation.file).read_text()
    assert mutation.apply(text) != text
    for test in mutation.tests:
        file, _, name = test.partition("::")
        function = f"def {name.partition('[')[0]}(" if name else ""
        assert function in (ROOT / file).read_text(), f"{test} does not exist"


def test_there_are_mutations_enough() -> None:
    assert len(MUTATIONS) >= MINIMUM
    assert all(len(mutations_of(system.name)) >= MINIMUM_OF_SYSTEM for system in SYSTEMS)
    assert len({(system, value.label) for system, value in MUTATIONS}) == len(MUTATIONS)


def test_text_that_does_not_occur_once_is_an_error() -> None:
    mutation = Mutation("any user", "boards/x.py", "check(caller)", "pass")
    for text in ("", "check(caller)\ncheck(caller)\n"):
        with pytest.raises(ValueError, match=r"'any user': its text occurs \d times in boards/x\.py"):
            mutation.apply(text)


def test_mutated_code_must_compile() -> None:
    with pytest.raises(SyntaxError):
        Mutation("any user", "boards/x.py", "pass", "pass)").apply("pass")


def test_runner_reports_what_caught_a_mutation(capsys: pytest.CaptureFixture[str]) -> None:
    chosen = next(value.label for system, value in MUTATIONS if system == "boards")
    assert main(["boards", "-k", chosen]) == 0
    unchanged, mutated, *_ = capsys.readouterr().out.splitlines()
    assert unchanged.endswith("verify passes")
    assert mutated.startswith(f"boards       {chosen}")
    assert "SURVIVED" not in mutated


def test_runner_runs_the_tests_that_a_mutation_names(capsys: pytest.CaptureFixture[str]) -> None:
    label, *_ = (
        mutation.label
        for mutation in mutations_of("boards")
        if "test_document_rows" in "".join(mutation.tests)
    )
    assert main(["boards", "-k", label]) == 0
    assert capsys.readouterr().out.splitlines()[1].rpartition(" ")[2].startswith("test_")


def test_code_that_cannot_be_imported_is_not_caught(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = Mutation("the code is broken", "service/text.py", "import idna\n", "import idnaa\n")
    monkeypatch.setattr("systems.tests.mutants.__main__.mutations_of", lambda name: [broken])
    assert main(["boards"]) == 1
    assert "ERROR: the mutated code does not work at all" in capsys.readouterr().out


def test_unknown_system_is_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["bords"])
    assert f"unknown system bords; systems are {SYSTEMS[0].name}, " in capsys.readouterr().err


def test_checks_are_discovered() -> None:
    text = (
        "def rename(caller, name):\n"
        "    caller.require_role('admin')\n"
        "    if not name:\n"
        "        raise ValueError\n"
        "    return name\n"
    )
    role, name = checks_in("boards/x.py", text)
    assert (role.line, name.line) == (2, 3)
    assert "    pass\n    if not name" in role.without
    assert "admin')\n    pass\n    return name" in name.without
    for check in (role, name):
        compile(check.without, check.file, "exec")


def test_the_systems_have_checks_to_remove() -> None:
    assert all(len(checks_of(system.name)) > 5 for system in SYSTEMS)
