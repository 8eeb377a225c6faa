"""Metrics of the process, in the text format that Prometheus and most monitors read.

tablewright_store_retries_total{error="ProvisionedThroughputExceededException"} 3
"""

from tablewright import Repository

_METRICS = {
    "retried": (
        "tablewright_store_retries_total",
        "Requests to the store that were repeated, by their error.",
    ),
    "given_up": ("tablewright_store_failures_total", "Requests to the store whose last attempt failed."),
}


def metrics_text() -> str:
    """Return the metrics: how often the store throttled requests, or failed otherwise."""
    counts = Repository.retry_counts()
    lines = []
    for name, (metric, description) in _METRICS.items():
        lines += [f"# HELP {metric} {description}", f"# TYPE {metric} counter"]
        lines += [
            f'{metric}{{error="{error}"}} {count}' for error, count in sorted(getattr(counts, name).items())
        ]
    return "\n".join(lines) + "\n"
