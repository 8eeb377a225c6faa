"""Find reads: one item through an index, with Query. A second match is an error."""

from typing import Any

from tablewright.access.calls.procedures import Call, Procedure
from tablewright.access.calls.retries import with_retries
from tablewright.access.reads.pattern_read import PatternRead
from tablewright.design.patterns.patterns import Pattern
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import SeveralFound


class FindRead(PatternRead):
    """Runs a `Find`."""

    kind = "Find"

    def _begin(
        self, pattern: Pattern[Any], limit: int | None, cursor: str | None, include_expired: bool
    ) -> Procedure[Any]:
        self._require_no_paging(limit, cursor)
        return self._find(pattern, include_expired)

    def _find(self, pattern: Pattern[Any], include_expired: bool) -> Procedure[Any]:
        request = self.compiled.request(self._values(pattern))
        if not self.compiled.has_filter:
            request["Limit"] = 2
        found: list[Item] = []
        while True:
            reply = yield from with_retries(Call("Query", request))
            found += [item for item in reply["Items"] if self.is_returned(item, include_expired)]
            if len(found) > 1:
                raise SeveralFound(self.plan.name)
            if "LastEvaluatedKey" not in reply:
                yield from self._fetch_keys(found)
                return self._make(found[0]) if found else None
            request["ExclusiveStartKey"] = reply["LastEvaluatedKey"]
