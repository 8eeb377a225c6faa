"""Contributor insights: which keys of a table or index are accessed and throttled most."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="insights",
    operations={
        "DescribeContributorInsights": "describe_contributor_insights",
        "ListContributorInsights": "list_contributor_insights",
        "UpdateContributorInsights": "update_contributor_insights",
    },
)
