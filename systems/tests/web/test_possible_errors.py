"""Which errors an endpoint can send, found in its source."""

from typing import Annotated

from fastapi import Depends
from fastapi.dependencies.utils import get_dependant
from tablewright_systems.boards import api
from tablewright_systems.goalsguild.api import accounts
from tablewright_systems.web import CurrentCaller
from tablewright_systems.web.possible_errors import possible_statuses

from tablewright import Repository


def statuses(function: object) -> set[int]:
    return set(possible_statuses(get_dependant(path="/", call=function)))  # type: ignore[arg-type]


def test_errors_of_called_functions_are_found() -> None:
    assert {401, 404, 409} <= statuses(api.request_to_join)
    assert statuses(api.list_catalogue) == {401}


def test_errors_of_dependencies_are_found() -> None:
    def endpoint(caller: CurrentCaller) -> None: ...

    assert statuses(endpoint) == {401}


def test_writes_can_conflict_and_changes_need_an_item() -> None:
    def store() -> None: ...

    def create(db: Annotated[Repository, Depends(store)]) -> None:
        db.create(None)  # type: ignore[type-var]

    def read(db: Annotated[Repository, Depends(store)]) -> None:
        db.run(None)  # type: ignore[call-overload]

    assert (statuses(create), statuses(read)) == (set(), set())  # only code of the systems is searched
    for function in (store, create, read):
        function.__module__ = "tablewright_systems.example"
    assert (statuses(create), statuses(read)) == ({409}, set())


def test_errors_of_the_other_methods_of_a_class_are_found() -> None:
    assert 429 in statuses(accounts.log_in)
    assert 429 not in statuses(accounts.my_profile)
