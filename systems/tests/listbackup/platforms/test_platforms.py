"""Platforms: settings from the environment, and platforms that are not supported."""

import pytest
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.platforms import Platforms
from tablewright_systems.listbackup.platforms.protocol import PlatformCredentials, RequestRejected

from systems.tests.listbackup.platforms.conftest import source_of


def test_the_environment_configures_applications_and_urls() -> None:
    platforms = Platforms.from_environment(
        {
            "LISTBACKUP_KEAP_CLIENT_ID": "app-1",
            "LISTBACKUP_KEAP_CLIENT_SECRET": "hidden",
            "LISTBACKUP_RETURN_ORIGINS": "https://one.test,https://two.test",
        }
    )
    client = platforms.oauth("keap")
    assert client is not None
    assert client.client_id == "app-1"
    assert "hidden" not in repr(client) + repr(platforms.settings)
    assert platforms.return_origins == {"https://one.test", "https://two.test"}
    assert platforms.oauth("stripe") is None
    assert platforms.settings["stripe"].base_url == "https://api.stripe.com/v1"


@pytest.mark.parametrize("name", ["URL", "AUTHORIZE_URL", "TOKEN_URL"])
def test_an_insecure_address_is_rejected(name: str) -> None:
    with pytest.raises(ValueError, match="must use https"):
        Platforms.from_environment({f"LISTBACKUP_STRIPE_{name}": "http://stripe.example"})


def test_an_unsupported_platform_is_rejected(fakes: FakePlatforms) -> None:
    credentials = PlatformCredentials(ConnectionType.APIKEY, "key")
    with pytest.raises(RequestRejected, match="'mailchimp' is not supported; supported are keap, stripe"):
        fakes.platforms().open_reader(source_of("mailchimp"), None, credentials)
