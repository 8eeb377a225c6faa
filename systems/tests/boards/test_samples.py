"""Sample data: the same for the same seed, at any size, and only data that the flows can create."""

import pytest
from tablewright_systems.boards import samples
from tablewright_systems.boards.design import (
    BoardById,
    BoardsOfOwner,
    BoardsOfUser,
    ProfileById,
    RequestsOfUser,
    ServicesOfBoardNow,
    design,
)

from tablewright import Clock, connect

START = 1_750_000_000


def names(size: int, seed: int) -> list[str]:
    """The demo user's boards."""
    with connect(design, clock=Clock(START)) as db:
        samples.fill(db, size, seed)
        demo = db.run(ProfileById(user_id=samples.DEMO_USER))
        assert demo is not None
        owned = db.all(BoardsOfOwner(owner_id=samples.DEMO_USER))
        return [demo.user_name, *(board.board_name for board in owned)]


def test_same_seed_gives_the_same_data() -> None:
    assert names(12, seed=1) == names(12, seed=1) != names(12, seed=2)


@pytest.mark.parametrize("size", [1, 7, 60])
def test_samples_of_any_size_are_consistent(size: int) -> None:
    with connect(design, clock=Clock(START)) as db:
        samples.fill(db, size)
        assert db.all(BoardsOfOwner(owner_id=samples.DEMO_USER))
        for membership in db.all(BoardsOfUser(user_id=samples.DEMO_USER)):
            board = db.run(BoardById(board_id=membership.board_id))
            assert board is not None
            types = {service.service_type for service in db.all(ServicesOfBoardNow(board_id=board.board_id))}
            assert types == set(board.enabled_services)
            assert board.created_at <= membership.joined_at <= db.now()
        inside = {board.board_id for board in db.all(BoardsOfUser(user_id=samples.DEMO_USER))}
        assert not inside & {
            request.board_id for request in db.all(RequestsOfUser(user_id=samples.DEMO_USER))
        }
