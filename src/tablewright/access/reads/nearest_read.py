"""Nearest reads: the entities whose vectors are nearest to a given one, with SearchVectors.

A search does not return vectors, so the entities lack theirs: reading it raises `FieldNotRead`. Expired items and items
that are not what the pattern returns are among the results of a search; then it searches again for more, so that the
page has as many entities as it may.
"""

from collections.abc import Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from tablewright.access.context import Context
from tablewright.access.items.item_values import to_attribute
from tablewright.access.procedures import Call, Procedure, Reply, with_retries
from tablewright.access.reads.pages import Page, PageBuilder
from tablewright.access.reads.pattern_read import CompiledRequest, Make, PatternRead
from tablewright.design.fields.markers import Vector
from tablewright.design.indexes import VectorIndex
from tablewright.design.patterns import Pattern
from tablewright.design.plans.plans import Plan
from tablewright.dynamodb.limits import MAX_SEARCH_RESULTS
from tablewright.errors import UnknownOperation, UsageError, ValueNotStorable, VectorSearchUnsupported

T = TypeVar("T")


class Match(NamedTuple, Generic[T]):
    """An entity that a `Nearest` found, and its score: `for startup, score in db.run(SimilarStartups(...))`."""

    entity: T
    score: float
    """The distance to the vector that was searched for; for DOT_PRODUCT the similarity, which is higher for nearer."""


class CompiledSearch(CompiledRequest):
    """The request of a search. Filters whose parameters are None are left out."""

    def __init__(self, plan: Plan, table_name: str, *, projected: bool = False) -> None:
        super().__init__(plan, table_name, projected=projected)
        self.index = vector_index_of(plan)
        self._keys = ()
        self._base |= {"IndexName": self.index.name, "ReturnConsumedCapacity": "TOTAL"}
        if plan.filter is not None:
            self._constants = {alias: to_attribute(value) for alias, value in plan.filter.values.items()}
        vector = plan.layouts[0].field_stored_as(self.index.attribute)
        assert vector is not None  # a pattern on an entity without the vector is rejected
        self._vector = vector.name

    def request(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request of a search for as many items as the pattern returns."""
        request = {**self._base, "SearchVector": self._numbers(values[self._vector])}
        names, filled, terms = dict(self._base.get("ExpressionAttributeNames", {})), self._values(values), []
        for number, clause in enumerate(self.plan.clauses):
            is_filter = clause.attribute not in self.index.partition
            if is_filter and any(values[name] is None for name in clause.names):
                continue
            names[f"#s{number}"] = clause.attribute
            filled[f":{number}"] = self._key(clause.attribute, clause.templates[0], values)
            terms.append(f"#s{number} = :{number}")
        if self.plan.filter is not None:
            terms.append(self.plan.filter.expression)
        if terms:
            request["SearchConditionExpression"] = " AND ".join(terms)
            request["ExpressionAttributeValues"] = filled
        if names:
            request["ExpressionAttributeNames"] = names
        return {**request, "TopK": limit_of(self.plan)}

    def _numbers(self, vector: Any) -> list[Any]:
        problem = Vector(self.index.dimensions).problem(vector)
        if problem:
            raise ValueNotStorable(
                f"{self.plan.name}.{self._vector} {problem}; {self.index.name} has {self.index.dimensions} dimensions"
            )
        numbers: list[Any] = to_attribute(vector)["L"]
        return numbers


class NearestRead(PatternRead):
    """Runs a `Nearest`."""

    kind = "Nearest"
    compiler = CompiledSearch

    def __init__(self, plan: Plan, context: Context, make: Make, *, projected: bool = False) -> None:
        super().__init__(plan, context, make, projected=projected)
        self.index = vector_index_of(plan)

    def expected_items(self, pattern: Pattern[Any], limit: int | None) -> int:
        """Return the limit, or that of the pattern."""
        return limit or pattern.expected_items or limit_of(self.plan)

    def _begin(
        self, pattern: Pattern[Any], limit: int | None, cursor: str | None, include_expired: bool
    ) -> Procedure[Page[Match[Any]]]:
        if cursor is not None:
            raise UsageError(f"{self.plan.name} is a Nearest and has no pages; leave out cursor")
        if limit is not None and not 1 <= limit <= MAX_SEARCH_RESULTS:
            raise UsageError(f"{self.plan.name}: limit must be 1 to {MAX_SEARCH_RESULTS}, got {limit}")
        return self._search(pattern, limit or limit_of(self.plan), include_expired)

    def _search(
        self, pattern: Pattern[Any], limit: int, include_expired: bool
    ) -> Procedure[Page[Match[Any]]]:
        request = self.compiled.request(self._values(pattern))
        most, searched = limit, 0.0
        while True:
            reply = yield from self._reply({**request, "TopK": most})
            results = reply["SearchResults"]
            searched += (reply.get("ConsumedCapacity") or {}).get("VectorSearchRequestBytes", 0.0)
            yield from self._fetch_keys(result["Item"] for result in results)
            builder = PageBuilder(searched_bytes=searched)
            self._add_results(results, limit, builder, include_expired)
            if len(builder.items) == limit or len(results) < most or most == MAX_SEARCH_RESULTS:
                return builder.page()
            most = min(MAX_SEARCH_RESULTS, 2 * most + limit)

    def _reply(self, request: dict[str, Any]) -> Procedure[Reply]:
        try:
            return (yield from with_retries(Call("SearchVectors", request)))
        except UnknownOperation as error:
            raise VectorSearchUnsupported(self.plan.name, self.index.name, str(error)) from error

    def _add_results(
        self, results: list[Any], limit: int, builder: PageBuilder, include_expired: bool
    ) -> None:
        for result in results:
            if self.is_returned(result["Item"], include_expired):
                before = len(builder.items)
                self.add(result["Item"], builder)
                if len(builder.items) > before:
                    builder.items[-1] = Match(builder.items[-1], result["Score"])
            if len(builder.items) == limit:
                return


def vector_index_of(plan: Plan) -> VectorIndex:
    """Return the vector index of the plan of a `Nearest`."""
    assert isinstance(plan.index, VectorIndex)  # a plan without an index has problems, and is not run
    return plan.index


def limit_of(plan: Plan) -> int:
    """Return the most entities that a `Nearest` returns."""
    limit: int = plan.pattern.limit  # type: ignore[attr-defined]  # only a Nearest has it
    return limit
