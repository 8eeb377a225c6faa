"""Student Hub's cost table (F12): as the document calculates it, and recalculated.

Four tables without an index, as they were when the table was written. The recomputed column has the document's sizes,
from the smallest to the largest, read with eventual consistency.
"""

from datetime import date
from pathlib import Path

import pytest
from tablewright_systems.student_hub import design as hub

from tablewright import Design, Entity, Get, Query, Table, connect, embedded
from tablewright.design.billing import Provisioned
from tablewright.dynamodb.values.capacity import read_units, write_units
from tablewright.planning.capacity_demand import total
from tablewright.planning.cost_estimate import Estimate, estimate
from tablewright.planning.prices import ClassPrices, Prices, load_prices
from tablewright.planning.workloads import Workload, load_workload
from tests.golden import arrows
from tests.planning.meters import Metered, measured

profiles = Table("profiles", key="userId")
progress = Table("progress", key=("userId", "stepKey"))
deadlines = Table("deadlines", key=("userId", "deadlineId"))
feedback = Table("feedback", key=("feedbackId", "timestamp"))


class Profile(Entity, table=profiles):
    user_id: str


class Progress(Entity, table=progress):
    user_id: str
    step_key: str


class Deadline(Entity, table=deadlines):
    user_id: str
    deadline_id: str
    due_date: date


class Feedback(Entity, table=feedback):
    feedback_id: str
    timestamp: str


class GetProfile(Get[Profile]):
    user_id: str


class ReadBeforeUpdate(Get[Profile]):
    """The read that the document's read-merge-put needs, and that its table leaves out."""

    user_id: str


class GetProgress(Query[Progress]):
    user_id: str


class GetDeadlines(Query[Deadline]):
    user_id: str


DESIGN = Design(
    "student_hub",
    entities=[Profile, Progress, Deadline, Feedback],
    patterns=[GetProfile, ReadBeforeUpdate, GetProgress, GetDeadlines],
)
PRICES = Prices(
    region="eu-north-1",
    as_of="the document (724-726)",
    standard=ClassPrices(write=1.50, read=0.30, storage=0.29),
)
HUB = Path(hub.__file__).with_name("workload.json")


TALKATIVE = {"userId": "ada", "packingNotes": "x" * 900, "dailyLifeNotes": "y" * 900}


def month(*, profile: int, steps: int, due: int, said: int) -> Workload:
    return Workload.model_validate(
        {
            "users": 1000,
            "patterns": {
                "GetProfile": 10_000,
                "ReadBeforeUpdate": 5_000,
                "GetProgress": {"times": 10_000, "items": steps},
                "GetDeadlines": {"times": 10_000, "items": due},
            },
            "entities": {
                "Profile": {"items": 1_000, "size": profile, "update": 5_000},
                "Progress": {"items": 1_000 * steps, "size": 300, "update": 20_000},
                "Deadline": {"items": 1_000 * due, "size": 500, "create": 3_000},
                "Feedback": {"items": 200, "size": said, "create": 200},
            },
        }
    )


MINIMUM = month(profile=2_000, steps=20, due=5, said=500)
MAXIMUM = month(profile=5_000, steps=50, due=10, said=1_000)
ROWS = {
    "Get Profile": ["GetProfile"],
    "Get Progress": ["GetProgress"],
    "Get Deadlines": ["GetDeadlines"],
    "Update Profile": ["update Profile", "ReadBeforeUpdate"],
    "Mark Step Complete": ["update Progress"],
    "Create Deadline": ["create Deadline"],
    "Submit Feedback": ["create Feedback"],
}


def rows(found: Estimate) -> dict[str, float]:
    costs = {line.name: line.cost for line in found.lines}
    return {row: sum(costs[name] for name in names) for row, names in ROWS.items()}


def requests(found: Estimate) -> dict[str, float]:
    costs = {line.name: line.cost_of_requests for line in found.lines}
    return {row: costs[names[0]] for row, names in ROWS.items()}


@pytest.mark.parametrize(("row", "expected"), arrows("planning/student_hub.txt"))
def test_r23_cost_table(row: str, expected: str) -> None:
    least, most = (estimate(DESIGN, workload, PRICES) for workload in (MINIMUM, MAXIMUM))
    asked, low, high = requests(least), rows(least), rows(most)
    for table, of in ((asked, least), (low, least), (high, most)):
        table["Requests"] = sum(table.values())
        table["Storage"] = sum(each.item_bytes for each in of.tables) / 1e9 * PRICES.standard.storage
        table["Total"] = table["Requests"] + table["Storage"]
    asked |= {
        "Storage": 5 * PRICES.standard.storage,
        "Total": asked["Requests"] + 5 * PRICES.standard.storage,
    }
    assert f"{asked[row]:.5f} | {low[row]:.5f} - {high[row]:.5f}" == expected


def test_r23_storage_is_megabytes_not_gigabytes() -> None:
    found = [estimate(DESIGN, workload, PRICES) for workload in (MINIMUM, MAXIMUM)]
    assert [sum(table.item_bytes for table in one.tables) / 1e6 for one in found] == [10.6, 25.2]
    assert [sum(table.bytes for table in one.tables) / 1e6 for one in found] == [13.22, 31.32]


@pytest.mark.parametrize(("times", "least", "most"), [(10, 0.6, 0.95), (100, 6, 9.5)])
def test_r23_ten_and_a_hundred_times_the_users(times: int, least: float, most: float) -> None:
    low, high = (estimate(DESIGN, workload.scaled(times), PRICES).cost for workload in (MINIMUM, MAXIMUM))
    assert least < low < high < most


def test_r21_recovery_costs_four_fifths_of_storage() -> None:
    """681 has a fifth."""
    prices = load_prices("us-east-1")
    assert prices.of("pitr") / prices.standard.storage == 0.8


def test_r24_provisioned_capacity_is_three_times_what_the_document_says() -> None:
    """740: 100 read and 100 write units are $1.87 a day, not $0.65."""
    prices = load_prices("us-east-1").standard
    assert prices.read_hour is not None
    assert prices.write_hour is not None
    assert round(24 * 100 * (prices.read_hour + prices.write_hour), 2) == 1.87


def test_r25_capacity_depends_on_size_and_consistency() -> None:
    """741: 8.6 million a day only of small items, read with strong consistency."""
    a_day = 100 * 86_400
    assert a_day / read_units(4_096, consistent=True) == 8_640_000
    assert a_day / read_units(4_096, consistent=False) == 17_280_000
    assert a_day / write_units(5_000) == 1_728_000


def test_r26_a_million_writes_a_month_are_far_from_break_even() -> None:
    """743: the used part of the capacity matters, and it is 0.4 % of 100 units."""
    capacity = Table("profiles", key="userId", billing=Provisioned(100, 100))

    class Row(Entity, table=capacity):
        user_id: str

    workload = Workload.model_validate({"entities": {"Row": {"items": 1, "size": 500, "create": 1_000_000}}})
    (table,) = estimate(Design("rows", entities=[Row]), workload, load_prices()).tables
    assert table.provisioned_cost is not None
    assert table.on_demand_cost == 0.625
    assert table.provisioned_cost > 90 * table.on_demand_cost
    assert round(table.utilisation.write, 4) == 0.0038


def test_r27_the_price_file_has_a_date() -> None:
    assert load_prices("us-east-1").as_of == "2025-09-09"


def test_r44_the_workload_of_the_system_costs_cents() -> None:
    found = estimate(hub.design, load_workload(HUB, hub.design), load_prices())
    assert {line.name: line.units.write for line in found.lines}["create Deadline"] == 2.5
    assert 0.03 < found.cost < 0.04


def test_the_estimate_equals_the_measurement() -> None:
    """The rows of the table, done by the service (as proof F12 does them) and estimated by the sizes it stored."""
    with embedded() as inner:
        meter = Metered(inner)
        db = connect(hub.design, meter, environment="main", create=True)
        profile = db.create(hub.UserProfile.model_validate(TALKATIVE))
        step = hub.Progress(user_id="ada", step_key="visa", completed=True)
        due = hub.Deadline(user_id="ada", title="Visa", due_date=date(2031, 3, 15), send_reminder=True)
        quiet = due.changed(deadline_id="quiet", send_reminder=False)
        said = hub.Feedback(user_id="ada", message="Great", timestamp=1, created_at=db.now())
        done = {
            "update UserProfile": measured(meter, lambda: db.update(profile, set={"first_name": "Ada"})),
            "create Progress": measured(meter, lambda: db.create(step)),
            "create Deadline": measured(meter, lambda: db.create(due)),
            "create Feedback": measured(meter, lambda: db.create(said)),
            "ProfileOf": measured(meter, lambda: db.run(hub.ProfileOf(user_id="ada"))),
            "ProgressOf": measured(meter, lambda: db.all(hub.ProgressOf(user_id="ada"))),
            "DeadlinesOf": measured(meter, lambda: db.all(hub.DeadlinesOf(user_id="ada"))),
        }
        without_reminder = measured(meter, lambda: db.create(quiet))
    month = load_workload(HUB, hub.design)
    small = {"UserProfile": month.entities["UserProfile"].model_copy(update={"size": 1_900})}
    bill = estimate(hub.design, month.model_copy(update={"entities": {**month.entities, **small}}), PRICES)
    units = {line.name: total(line.each) for line in bill.lines}
    taken = {name: sum(bill.values()) for name, bill in done.items()}
    half = (
        taken["create Deadline"] + sum(without_reminder.values())
    ) / 2  # half of the deadlines have a reminder
    assert {name: units[name].read + units[name].write for name in taken} == taken | {
        "create Deadline": half,
        "ProgressOf": 1.0,  # of twenty steps
    }
