"""The regions of AWS: every region that botocore knows."""

import botocore.session

from tablewright.engine.core.requests.aws_regions import AWS_REGIONS


def test_every_public_region_is_known() -> None:
    assert set(botocore.session.get_session().get_available_regions("dynamodb")) <= AWS_REGIONS
