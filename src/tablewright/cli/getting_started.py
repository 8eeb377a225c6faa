"""The guide that `serve --guide` prints: examples for boto3 and the AWS CLI, ready to paste into another terminal."""

import os
import sys

_GUIDE = """
Try it in another terminal:

  With boto3:

{python} - <<'END'
import boto3

client = boto3.client(
    "dynamodb",
    endpoint_url="{url}",
    region_name="{region}",
    aws_access_key_id="any",
    aws_secret_access_key="any",
)
if "Music" not in client.list_tables()["TableNames"]:
    client.create_table(
        TableName="Music",
        KeySchema=[{{"AttributeName": "Artist", "KeyType": "HASH"}}],
        AttributeDefinitions=[{{"AttributeName": "Artist", "AttributeType": "S"}}],
        BillingMode="PAY_PER_REQUEST",
    )
client.put_item(TableName="Music", Item={{"Artist": {{"S": "Nina"}}, "Song": {{"S": "Sinnerman"}}}})
print(client.get_item(TableName="Music", Key={{"Artist": {{"S": "Nina"}}}})["Item"])
END

  With the AWS CLI:

AWS_ACCESS_KEY_ID=any AWS_SECRET_ACCESS_KEY=any \\
{aws} dynamodb scan --table-name Music --endpoint-url {url} --region {region}

Press Ctrl-C to stop the server.
"""


def guide(url: str, region: str) -> str:
    """Return the guide, with the paths of the programs on this machine."""
    return _GUIDE.format(url=url, region=region, python=_shown(sys.executable), aws=_aws())


def _aws() -> str:
    import shutil

    beside = os.path.join(os.path.dirname(sys.executable), "aws")
    return _shown(beside) if os.path.exists(beside) else shutil.which("aws") or "aws"


def _shown(path: str) -> str:
    return f"'{path}'" if " " in path else path
