"""The fakes over a real socket: paging, throttling, failing pages, expiring tokens."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
import uvicorn
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.fakes.fake_platform import API_KEY, RETRY_AFTER
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.oauth_client import challenge
from tablewright_systems.listbackup.platforms.protocol import (
    CredentialsExpired,
    PlatformCredentials,
    PlatformUnavailable,
    RateLimited,
)
from tablewright_systems.listbackup.platforms.reader import OVERLAP

from systems.tests.listbackup.platforms.conftest import source_of


@contextmanager
def served(fakes: FakePlatforms) -> Iterator[str]:
    """Serve the fakes on a free port."""
    server = uvicorn.Server(uvicorn.Config(fakes.application, port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def test_the_fakes_are_read_over_a_socket(fakes: FakePlatforms) -> None:
    with served(fakes) as url:
        platforms = fakes.platforms(url)
        key = PlatformCredentials(ConnectionType.APIKEY, API_KEY)
        reader = platforms.open_reader(source_of("keap"), None, key)
        first = reader.read("contacts")
        assert len(first.records) == 100
        second = reader.read("contacts", position=first.next_position)
        assert len(second.records) == 100 - OVERLAP

        httpx.post(f"{url}/keap/faults", json={"throttled": 1, "failing": 2})
        with pytest.raises(RateLimited) as throttled:
            reader.read("contacts")
        assert throttled.value.retry_after == RETRY_AFTER
        assert reader.read("orders").records
        httpx.post(f"{url}/keap/faults", json={"failing": 3})
        with pytest.raises(PlatformUnavailable):
            reader.read("orders")

        assert httpx.post(f"{url}/mailchimp/faults", json={}).status_code == 404

        client = platforms.oauth("stripe")
        assert client is not None
        login = httpx.get(client.authorization_url("s1", "http://localhost/cb", challenge("v")))
        code = httpx.URL(login.headers["location"]).params["code"]
        grant = client.exchange(code, "v", "http://localhost/cb", fakes.now())
        token = PlatformCredentials(ConnectionType.OAUTH, grant.tokens.access_token)
        stripe = platforms.open_reader(source_of("stripe"), None, token)
        assert stripe.read("products").records
        httpx.post(f"{url}/stripe/faults", json={"expireTokens": True})
        with pytest.raises(CredentialsExpired):
            stripe.read("products")
        platforms.close()
