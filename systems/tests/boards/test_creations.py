"""Initial services of a board."""

import pytest
from tablewright_systems.boards.design import AvailableService
from tablewright_systems.boards.proofs.fixtures import ADMIN, user
from tablewright_systems.boards.service import boards, catalogue
from tablewright_systems.boards.values import MAX_INITIAL_SERVICES
from tablewright_systems.service.errors import Invalid
from tablewright_systems.verification import ProofContext


def test_initial_services_fit_one_transaction(context: ProofContext) -> None:
    ada = user(context)
    types = [f"service{number}" for number in range(MAX_INITIAL_SERVICES + 1)]
    entries = [
        AvailableService(service_type=type_name, display_name=type_name, description=type_name)
        for type_name in types
    ]
    catalogue.seed(context.db, ADMIN, entries)
    with pytest.raises(Invalid) as error:
        boards.create_board(context.db, ada, "Too many", types)
    assert error.value.field == "enabledServices"
    board = boards.create_board(context.db, ada, "Many", types[:-1])
    assert board.enabled_services == types[:-1]
