"""Designs whose infrastructure code is generated: one with every setting, and the five systems."""

from tablewright_systems.registry import SYSTEMS

from tablewright import Design, Index, Table, billing

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
SCALED = Design(
    "scaled",
    tables=[
        Table(
            "scaled-main",
            "id",
            [
                Index("by-team", "team", contributor_insights=True),
                Index("by-name", "name", billing=billing.Provisioned(1, 1)),
            ],
            billing=billing.Autoscaled(read=5, write=6, max_read=50, max_write=60, target=60),
            encryption_key="alias/aws/dynamodb",
            point_in_time_recovery=True,
            recovery_days=7,
            contributor_insights=True,
            resource_policy={
                "Version": "2012-10-17",
                "Statement": [
                    {
                        "Effect": "Allow",
                        "Principal": {"AWS": "arn:aws:iam::123456789012:root"},
                        "Action": "dynamodb:GetItem",
                        "Resource": "*",
                    }
                ],
            },
        ),
        Table(
            "limited",
            "id",
            [Index("by-team", "team", warm_throughput=billing.WarmThroughput(12_000, 4_000))],
            billing=billing.OnDemand(max_read=100, max_write=50),
            warm_throughput=billing.WarmThroughput(12_000, 4_000),
        ),
        Table(
            "global-{env}",
            "id",
            [Index("by-team", "team")],
            stream="NEW_AND_OLD_IMAGES",
            billing=billing.Autoscaled(read=5, write=6, max_read=50, max_write=60),
            replicas=["eu-west-1"],
            ttl="expiresAt",
            deletion_protection=True,
            point_in_time_recovery=True,
            tags={"team": "a"},
        ),
    ],
)
"""Autoscaled and limited capacity, a resource policy, and a global table."""
DESIGNS = [RICH, SCALED, *(system.design for system in SYSTEMS)]
