"""Properties of every estimate and every simulation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright import Copy, Design, Entity, Index, Keys, Query, Table, fields
from tablewright.planning.capacity_demand import Units, total
from tablewright.planning.cost_estimate import estimate
from tablewright.planning.partition_simulation import PARTITION_LIMIT, Key, heat, simulate
from tablewright.planning.prices import ClassPrices, Prices
from tablewright.planning.request_demand import demand_of_write
from tablewright.planning.workloads import EntityUse, PatternUse, Workload
from tests.example_counts import examples

table = Table(
    "things",
    key=("PK", "SK"),
    indexes=[Index("all", "allKey"), Index("keys", "keysKey", projection="KEYS_ONLY")],
    point_in_time_recovery=True,
)


class Thing(Entity, table=table, type="THING"):
    thing_id: str
    owner: str
    seen_at: fields.Timestamp = fields.touched()
    keys = Keys(primary=("THING#{thing_id}", "THING"), all="OWNER#{owner}", keys="OWNER#{owner}")
    listed = Copy(primary=("OWNER#{owner}", "THING#{thing_id}"), fields=("owner",))


class ThingsOf(Query[Thing]):
    owner: str
    key = "allKey = OWNER#{owner}"


DESIGN = Design("things", entities=[Thing], patterns=[ThingsOf])
PRICES = Prices(standard=ClassPrices(read=0.125, write=0.625, storage=0.25), pitr=0.2)

shares = st.floats(0, 1)
often = st.floats(0, 1e9)
uses = st.builds(
    EntityUse,
    items=st.floats(0, 1e8),
    size=st.integers(1, 400_000),
    create=often,
    update=often,
    delete=often,
    moves=shares,
    fails=shares,
    present=st.fixed_dictionaries({"all": shares}),
    follows=shares,
)
workloads = st.builds(
    Workload,
    peak=st.floats(1, 100),
    entities=st.fixed_dictionaries({"Thing": uses}),
    patterns=st.fixed_dictionaries(
        {"ThingsOf": st.builds(PatternUse, times=often, items=st.floats(0, 1_000))}
    ),
)


@examples(50)
@given(workloads, st.floats(1, 1_000))
def test_cost_is_proportional_to_users(workload: Workload, factor: float) -> None:
    once, often = (estimate(DESIGN, one, PRICES) for one in (workload, workload.scaled(factor)))
    assert often.cost == pytest.approx(once.cost * factor)


@examples(50)
@given(workloads)
def test_cost_of_tables_is_the_sum_of_lines_and_storage(workload: Workload) -> None:
    found = estimate(DESIGN, workload, PRICES)
    besides = sum(one.storage_cost + sum(extra.cost for extra in one.extras) for one in found.tables)
    assert found.cost == pytest.approx(found.request_cost + besides)


@examples(50)
@given(uses, st.sampled_from(["create", "update", "delete"]))
def test_a_write_costs_at_least_its_item(use: EntityUse, kind: str) -> None:
    units = total(demand_of_write(Thing.layout, kind, use))
    assert use.size is not None
    assert units.write >= -(-use.size // 1024)


@examples(50)
@given(uses)
def test_moving_index_rows_is_never_cheaper(use: EntityUse) -> None:
    still, moving = (
        total(demand_of_write(Thing.layout, "update", use.model_copy(update={"moves": share})))
        for share in (0.0, 1.0)
    )
    assert moving.write >= still.write


loads = st.builds(Units, st.floats(0, 20_000), st.floats(0, 20_000))


@examples(60)
@given(st.lists(loads, max_size=8), loads, st.integers(0, 100))
def test_a_key_is_limited_only_by_its_partition(given_: list[Units], spread: Units, seed: int) -> None:
    run = simulate([Key("k", rank, units) for rank, units in enumerate(given_)], spread, seed=seed)
    assert 0 <= run.throttled <= 1
    assert len(run.keys) == len(given_)
    for key in run.keys:
        assert heat(key.units) * (1 - key.throttled) <= 2 * 1.05  # one of reads and one of writes
        is_small = key.units.read <= PARTITION_LIMIT.read / 2 and key.units.write <= PARTITION_LIMIT.write / 2
        assert key.throttled < 0.05 or not is_small or heat(key.units) < 0.01  # hot neighbours are moved away
