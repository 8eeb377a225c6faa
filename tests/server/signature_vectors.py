"""Requests and signatures that AWS published for Signature Version 4: inputs and results of its test suite.

All have the access key AKIDEXAMPLE, the date below and the scope below. Left out are those that this server rejects as
HTTP: folded headers, bytes that are not ASCII in the target, and paths other than "/" that need to be normalised.
"""

from typing import NamedTuple

SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
SCOPE = "20150830/us-east-1/service/aws4_request"
DATE = "20150830T123600Z"
HOST = "example.amazonaws.com"
TOKEN = (
    "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwt"
    "hAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVX"
    "AkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="
)
UNRESERVED = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Vector(NamedTuple):
    """A request, its signed headers beside Host and X-Amz-Date, and its signature."""

    line: str
    headers: tuple[str, ...]
    body: str
    signature: str


VECTORS: dict[str, Vector] = {
    "get-vanilla": Vector(
        "GET /", (), "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
    ),
    "get-header-key-duplicate": Vector(
        "GET /",
        ("My-Header1:value2", "My-Header1:value2", "My-Header1:value1"),
        "",
        "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
    ),
    "get-header-value-order": Vector(
        "GET /",
        ("My-Header1:value4", "My-Header1:value1", "My-Header1:value3", "My-Header1:value2"),
        "",
        "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01",
    ),
    "get-header-value-trim": Vector(
        "GET /",
        ("My-Header1: value1", 'My-Header2: "a   b   c"'),
        "",
        "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
    ),
    "get-unreserved": Vector(
        f"GET /{UNRESERVED}", (), "", "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"
    ),
    "get-vanilla-empty-query-key": Vector(
        "GET /?Param1=value1", (), "", "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"
    ),
    "get-vanilla-query-order-encoded": Vector(
        "GET /?Param-3=Value3&Param=Value2&%E1%88%B4=Value1",
        (),
        "",
        "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac",
    ),
    "get-vanilla-query-order-key-case": Vector(
        "GET /?Param2=value2&Param1=value1",
        (),
        "",
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    ),
    "get-vanilla-query-order-key": Vector(
        "GET /?Param1=value2&Param1=Value1",
        (),
        "",
        "eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1",
    ),
    "get-vanilla-query-order-value": Vector(
        "GET /?Param1=value2&Param1=value1",
        (),
        "",
        "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694",
    ),
    "get-vanilla-query-unreserved": Vector(
        f"GET /?{UNRESERVED}={UNRESERVED}",
        (),
        "",
        "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
    ),
    "get-vanilla-utf8-query": Vector(
        "GET /?%E1%88%B4=bar", (), "", "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"
    ),
    "post-vanilla": Vector(
        "POST /", (), "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
    ),
    "post-header-key-sort": Vector(
        "POST /",
        ("My-Header1:value1",),
        "",
        "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
    ),
    "post-header-value-case": Vector(
        "POST /",
        ("My-Header1:VALUE1",),
        "",
        "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d",
    ),
    "post-sts-header-before": Vector(
        "POST /",
        (f"X-Amz-Security-Token:{TOKEN}",),
        "",
        "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
    ),
    "post-vanilla-query": Vector(
        "POST /?Param1=value1", (), "", "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"
    ),
    "post-x-www-form-urlencoded": Vector(
        "POST /",
        ("Content-Type:application/x-www-form-urlencoded",),
        "Param1=value1",
        "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ),
    "post-x-www-form-urlencoded-parameters": Vector(
        "POST /",
        ("Content-Type:application/x-www-form-urlencoded; charset=utf8",),
        "Param1=value1",
        "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe",
    ),
}
