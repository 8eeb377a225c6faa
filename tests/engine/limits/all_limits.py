"""Every documented limit, in the order of the documentation."""

from tests.engine.limits import (
    expression_limits,
    item_limits,
    request_limits,
    table_limits,
    vector_limits,
)

LIMITS = (
    *item_limits.LIMITS,
    *expression_limits.LIMITS,
    *request_limits.LIMITS,
    *table_limits.LIMITS,
    *vector_limits.LIMITS,
)
