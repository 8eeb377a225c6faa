"""The one table."""

from tablewright import Index, Table, billing

main = Table(
    "collabhub-main",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),  # lists of a user, a founder or a customer
        Index("GSI2", "GSI2PK", "GSI2SK"),  # lists by status
        Index("GSI3", "GSI3PK", "GSI3SK"),  # what was created, by type and month (A24, R7)
        Index("GSI4", "email"),  # users by address (A2)
        Index("GSI5", "GSI5PK", "GSI5SK"),  # added: what ends when, for the sweeps (R18, R37)
    ],
    discriminator="entityType",
    ttl="ttl",  # F10
    billing=billing.OnDemand(),
)
