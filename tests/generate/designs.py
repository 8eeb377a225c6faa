"""Designs whose infrastructure code is generated: one with every setting, and the five systems."""

from tablewright import Design, Index, Table, billing
from tablewright_systems.registry import SYSTEMS

RICH = Design(
    "rich",
    tables=[
        Table(
            "rich-{env}-main",
            ("PK", "SK"),
            [
                Index("by-team", "team", "rank", projection=["name"]),
                Index("by-place", ("country", "city"), ("street", "number")),
                Index("local", "PK", "rank", local=True, projection="KEYS_ONLY"),
            ],
            types={"rank": "N"},
            ttl="expiresAt",
            stream="NEW_AND_OLD_IMAGES",
            billing=billing.Provisioned(5, 7),
            encryption_key="arn:aws:kms:eu-north-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab",
            point_in_time_recovery=True,
            deletion_protection=True,
            table_class="STANDARD_INFREQUENT_ACCESS",
            tags={"team": "a", "cost-centre": "b"},
        )
    ],
)
DESIGNS = [RICH, *(system.design for system in SYSTEMS)]
