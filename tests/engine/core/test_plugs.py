"""The registry of features."""

import ast
import io
import re
import tokenize
from importlib.util import find_spec
from pathlib import Path

import tablewright.engine.core
from tablewright.engine.core.plugs import JOBS, OPERATIONS, Feature
from tablewright.engine.feature_list import FEATURES

CORE = Path(tablewright.engine.core.__file__).parent
FEATURE_WORDS = re.compile(
    "backup|bulk|expiry|export|insight|journal|kinesis|replica|stream|timetolive|vector", re.I
)
MODULES_WITH_FEATURE_WORDS = {
    "damage.py": "the names of system spaces, for messages",
    "jobs/backup_arns.py": "AWS's form of the ARNs of jobs",
    "jobs/job_pages.py": "AWS's form of the ARNs of jobs",
    "jobs/job_records.py": "the file format: the space of job records, and their kinds",
    "operations/create_table.py": "members of AWS's request",
    "operations/update_table.py": "members of AWS's request",
    "requests/unsupported.py": "AWS's names, to reject what an absent feature would do",
    "state/catalog.py": "the file format: the numbers of system spaces",
    "sweeper.py": "a veto of the deletion of expired items",
    "tables/index_updates.py": "members of AWS's request, in AWS's order of checks",
    "tables/table_definitions.py": "members of AWS's request",
    "tables/table_descriptions.py": "members of AWS's descriptions",
    "tables/table_rules.py": "members of AWS's request, in AWS's order of checks",
    "tables/table_updates.py": "members of AWS's request, in AWS's order of checks",
    "tables/tags.py": "the form of AWS's ARNs",
}
"""The modules of the core whose code has a word of a feature, each with the reason. The list only shrinks."""


def test_the_core_does_not_name_features() -> None:
    modules = {path.relative_to(CORE).as_posix() for path in CORE.rglob("*.py") if names_feature(path)}
    assert modules == set(MODULES_WITH_FEATURE_WORDS)


def names_feature(path: Path) -> bool:
    """Whether a name or a text in the code of a module has a word of a feature; docstrings do not count."""
    text = path.read_text()
    docstrings = {
        node.value.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    return any(
        FEATURE_WORDS.search(token.string)
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.NAME or (token.type == tokenize.STRING and token.start[0] not in docstrings)
    )


def test_every_module_that_a_feature_names_exists() -> None:
    for place in {*OPERATIONS.values(), *JOBS.values()}:
        assert find_spec(place) is not None, place


def test_a_module_is_in_the_folder_of_its_feature() -> None:
    assert Feature(name="ttl").module("x") == "tablewright.engine.features.ttl.x"


def test_an_operation_belongs_to_one_feature() -> None:
    names = [name for feature in FEATURES for name in feature.operations]
    assert len(names) == len(set(names))
