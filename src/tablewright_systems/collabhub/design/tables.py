"""The one table (5-20), and the types that its entities share."""

from typing import Annotated

from pydantic import Field

from tablewright import Index, Table, billing

main = Table(
    "collabhub-main",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),  # reverse lookups, user queries
        Index("GSI2", "GSI2PK", "GSI2SK"),  # status-based queries
        Index("GSI3", "GSI3PK", "GSI3SK"),  # type + time range queries, by type and month (T7)
        Index("GSI4", "email"),  # email lookup (sparse)
        Index("GSI5", "GSI5PK", "GSI5SK"),  # added: what ends on which day, for the sweeps (T18, T37)
    ],
    discriminator="entityType",
    ttl="ttl",  # 301
    billing=billing.OnDemand(),
)

Line = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(max_length=10_000)]
Url = Annotated[str, Field(min_length=1, max_length=2_048, pattern="^https?://")]
Words = Annotated[list[Line], Field(max_length=50)]
