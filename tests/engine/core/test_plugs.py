"""The registry of features."""

from importlib.util import find_spec

from tablewright.engine.core.plugs import JOBS, OPERATIONS, Feature
from tablewright.engine.feature_list import FEATURES


def test_every_module_that_a_feature_names_exists() -> None:
    for place in {*OPERATIONS.values(), *JOBS.values()}:
        assert find_spec(place) is not None, place


def test_a_module_is_in_the_folder_of_its_feature() -> None:
    assert Feature(name="ttl").module("x") == "tablewright.engine.features.ttl.x"


def test_an_operation_belongs_to_one_feature() -> None:
    names = [name for feature in FEATURES for name in feature.operations]
    assert len(names) == len(set(names))
