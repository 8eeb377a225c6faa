"""The list of features: each folder is one line."""

from pathlib import Path

from tablewright.engine import features
from tablewright.engine.feature_list import FEATURES, operation_names


def test_every_folder_is_in_the_list() -> None:
    folders = {path.parent.name for path in Path(features.__path__[0]).glob("*/__init__.py")}
    assert {feature.name for feature in FEATURES} == folders


def test_operations_of_the_core_and_of_features_are_named() -> None:
    assert {"PutItem", "UpdateTimeToLive"} <= set(operation_names())
