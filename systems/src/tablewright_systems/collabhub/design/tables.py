"""The one table."""

from tablewright import Index, Table, billing

main = Table(
    "collabhub-main",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),  # reverse lookups, user queries
        Index("GSI2", "GSI2PK", "GSI2SK"),  # status-based queries
        Index("GSI3", "GSI3PK", "GSI3SK"),  # type + time range queries, by type and month (R7)
        Index("GSI4", "email"),  # email lookup (sparse)
        Index("GSI5", "GSI5PK", "GSI5SK"),  # added: what ends when, for the sweeps (R18, R37)
    ],
    discriminator="entityType",
    ttl="ttl",  # 301
    billing=billing.OnDemand(),
)
