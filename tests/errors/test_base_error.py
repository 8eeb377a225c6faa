"""The error tree: one root, one public path."""

import pickle

import pytest

from tablewright import errors


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_has_the_root_and_the_public_path(name: str) -> None:
    error = getattr(errors, name)
    assert issubclass(error, errors.TablewrightError)
    assert error.__module__ == "tablewright.errors"


def test_an_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(errors.ResourceNotFound("no such table")))
    assert type(error) is errors.ResourceNotFound
    assert error.message == "no such table"
