"""The list of features: each folder is one line."""

from pathlib import Path

import grimp

from tablewright.engine import features
from tablewright.engine.feature_list import FEATURES, operation_names


def test_every_folder_is_in_the_list() -> None:
    folders = {path.parent.name for path in Path(features.__path__[0]).glob("*/__init__.py")}
    assert {feature.name for feature in FEATURES} == folders


def test_operations_of_the_core_and_of_features_are_named() -> None:
    assert {"PutItem", "UpdateTimeToLive"} <= set(operation_names())


def test_features_import_only_those_that_they_need() -> None:
    graph = grimp.build_graph("tablewright", exclude_type_checking_imports=False)
    prefix = "tablewright.engine.features."
    needs = {feature.name: set(feature.needs) for feature in FEATURES}
    for importer in graph.modules:
        if importer.startswith(prefix):
            name = importer[len(prefix) :].partition(".")[0]
            for imported in graph.find_modules_directly_imported_by(importer):
                other = imported[len(prefix) :].partition(".")[0] if imported.startswith(prefix) else name
                assert other in {name} | needs[name], f"{importer} -> {imported}"
