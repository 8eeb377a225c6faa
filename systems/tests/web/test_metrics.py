"""Metrics of the process: retries are shown in the format of Prometheus."""

import re

from tablewright_systems.web.metrics import metrics_text

from tablewright.access.procedures import count_given_up, count_retry

THROTTLED = r'tablewright_store_(\w+)_total\{error="ThrottlingOfTest"\} (\d+)'


def test_retries_and_failures_are_listed_by_error() -> None:
    assert "# TYPE tablewright_store_retries_total counter" in metrics_text()
    count_retry("ThrottlingOfTest")
    count_retry("ThrottlingOfTest")
    count_given_up("ThrottlingOfTest")
    assert re.findall(THROTTLED, metrics_text()) == [("retries", "2"), ("failures", "1")]
    assert metrics_text().endswith("\n")
