"""DescribeEndpoints: show the endpoint of this region, or the address of the server."""

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.core.operations.music_table import open_music


def test_the_endpoint_is_that_of_the_region_until_a_server_sets_its_own() -> None:
    with open_music() as db:
        assert db.call("DescribeEndpoints", {}) == {
            "Endpoints": [{"Address": "dynamodb.us-east-1.amazonaws.com", "CachePeriodInMinutes": 1440}]
        }
        db.serve_at("127.0.0.1:8000")
        assert db.call("DescribeEndpoints", {})["Endpoints"][0]["Address"] == "127.0.0.1:8000"


def test_the_endpoint_is_that_of_the_region() -> None:
    db = Database(open_store(), region="eu-central-1")
    endpoint = {"Address": "dynamodb.eu-central-1.amazonaws.com", "CachePeriodInMinutes": 1440}
    assert db.call("DescribeEndpoints", {}) == {"Endpoints": [endpoint]}
    db.close()
