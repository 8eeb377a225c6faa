"""Contributor insights: which keys of a table or index are accessed and throttled most."""

from tablewright.engine.core.plugs import Feature
from tablewright.engine.core.sessions import QUESTIONS
from tablewright.engine.core.state.engine_state import LOADED_STATES
from tablewright.engine.features.insights.insight_settings import contributors, watch_accesses

FEATURE = Feature(
    name="insights",
    operations={
        "DescribeContributorInsights": "contributor_insights",
        "ListContributorInsights": "contributor_insights",
        "UpdateContributorInsights": "contributor_insights",
    },
    members=("Insights",),
    found_by=("Insights",),
    parts=(LOADED_STATES.part(watch_accesses), QUESTIONS.part(("contributors", contributors))),
)
