"""Sample data: consistent, the same for the same seed, of any size, with data in every area."""

import pytest
from tablewright_systems.goalsguild import samples
from tablewright_systems.goalsguild.design.goals import Goal, GoalsOfUser, Reminder, Task, TasksByDueDate
from tablewright_systems.goalsguild.design.rooms import Message
from tablewright_systems.goalsguild.design.users import User
from tablewright_systems.goalsguild.service import goals, logins, offers
from tablewright_systems.service import Caller

from systems.tests.goalsguild.fixtures import assert_consistent, entities, guild, of
from tablewright import Repository


@pytest.mark.parametrize("size", [0, 1, 12])
def test_samples_of_any_size_are_consistent(db: Repository, size: int) -> None:
    samples.fill(db, size)
    assert len(of(assert_consistent(db), User)) == max(size, 1)


def test_same_seed_gives_the_same_data() -> None:
    contents = []
    for _ in range(2):
        with guild() as db:
            samples.fill(db, 5, seed=7)
            result = entities(db)
            contents.append(
                (
                    sorted((goal.user_id, goal.title, goal.tags) for goal in of(result, Goal)),
                    sorted((task.title, str(task.due_at), task.done) for task in of(result, Task)),
                    sorted((message.user_id, message.text) for message in of(result, Message)),
                )
            )
    assert contents[0] == contents[1]


def test_demo_user_has_data(db: Repository) -> None:
    samples.fill(db)
    ada = Caller(samples.DEMO_USER)
    mine = list(db.run(GoalsOfUser(user_id=ada.user_id)))
    assert len(mine) == 4
    assert sum(goals.progress(db, ada, goal.id).tasks for goal in mine) == len(
        db.all(TasksByDueDate(user_id=ada.user_id))
    )
    assert goals.my_timeline(db, ada).cursor is not None
    assert logins.log_in(db, f"{samples.DEMO_USER}@example.org", samples.DEMO_PASSWORD, "127.0.0.1")
    result = entities(db)
    assert of(result, Reminder)
    assert any(offers.discover(db, ada, tag).items for tag, _ in samples.PLANS.values())
