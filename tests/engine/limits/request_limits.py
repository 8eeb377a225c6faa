"""The limits of batches, transactions, pages and streams."""

from collections.abc import Callable
from typing import Any

from tests.engine.limits.limit import Call, Cut, Limit, Reply, Request, calling
from tests.engine.limits.limit_tables import PLAIN, SORTED, item_of, table, text

KB = 1024
MB = 1024 * KB
AT_LEAST = "Member must have value greater than or equal to"
AT_MOST = "Member must have value less than or equal to"


def _key(number: int) -> Request:
    """The key of an item that does not exist."""
    return {"p": {"S": f"absent-{number}"}}


def _stored_key(number: int) -> Request:
    return {"p": {"S": f"{number:05}"}}


def _batch_get(count: int, key: Callable[[int], Request] = _key) -> Request:
    return {"RequestItems": {PLAIN: {"Keys": [key(number) for number in range(count)]}}}


def _batch_get_of_two_tables(count: int) -> Request:
    half = {"Keys": [{**_key(number), "c": {"S": "c"}} for number in range(50)]}
    return {"RequestItems": {SORTED: half, **_batch_get(count - 50)["RequestItems"]}}


def _batch_write(count: int) -> Request:
    writes = [{"DeleteRequest": {"Key": _key(number)}} for number in range(count)]
    return {"RequestItems": {PLAIN: writes}}


def _batch_write_of_two_tables(count: int) -> Request:
    half = [{"DeleteRequest": {"Key": {**_key(number), "c": {"S": "c"}}}} for number in range(10)]
    return {"RequestItems": {SORTED: half, **_batch_write(count - 10)["RequestItems"]}}


def _transact_get(count: int, key: Callable[[int], Request] = _key) -> Request:
    return {"TransactItems": [{"Get": {"TableName": PLAIN, "Key": key(number)}} for number in range(count)]}


def _transact_write(count: int) -> Request:
    deletes = [{"Delete": {"TableName": PLAIN, "Key": _key(number)}} for number in range(count)]
    return {"TransactItems": deletes}


def _items_of(total: int, count: int) -> list[Request]:
    """Items that have that many bytes together."""
    each = total // count
    sizes = [each] * (count - 1) + [total - each * (count - 1)]
    return [item_of(size, f"{number:05}") for number, size in enumerate(sizes)]


def _put_all(call: Call, items: list[Request]) -> None:
    for first in range(0, len(items), 25):
        puts = [{"PutRequest": {"Item": item}} for item in items[first : first + 25]]
        call("BatchWriteItem", {"RequestItems": {PLAIN: puts}})


def _write_in_transaction(call: Call, size: int) -> object:
    puts = [{"Put": {"TableName": PLAIN, "Item": item}} for item in _items_of(size, 20)]
    return call("TransactWriteItems", {"TransactItems": puts})


def _read_in_transaction(call: Call, size: int) -> object:
    _put_all(call, _items_of(size, 20))
    return call("TransactGetItems", _transact_get(20, _stored_key))


def _insert_in_transaction(call: Call, size: int) -> object:
    items = _items_of(size, 20)
    for item in items:
        call("DeleteItem", {"TableName": PLAIN, "Key": {"p": item["p"]}})
    statement = f'INSERT INTO "{PLAIN}" VALUE ' + "{'p': ?, 'text': ?}"
    inserts = [{"Statement": statement, "Parameters": [item["p"], item["text"]]} for item in items]
    return call("ExecuteTransaction", {"TransactStatements": inserts})


def _select_in_transaction(call: Call, size: int) -> object:
    items = _items_of(size, 20)
    _put_all(call, items)
    statement = f'SELECT * FROM "{PLAIN}" WHERE p = ?'
    selects = [{"Statement": statement, "Parameters": [item["p"]]} for item in items]
    return call("ExecuteTransaction", {"TransactStatements": selects})


def _read_in_batch(call: Call, size: int) -> object:
    _put_all(call, _items_of(size, 50))
    reply = call("BatchGetItem", _batch_get(50, _stored_key))
    if reply["UnprocessedKeys"]:
        assert len(reply["Responses"][PLAIN]) == 49
        raise Cut
    return reply


TOO_MANY_BYTES = "Transaction payload size cannot exceed 4194304 bytes"


def _size(topic: str, name: str, send: Callable[[Call, int], object]) -> Limit:
    return Limit(topic, name, send, most=4 * MB, unit="bytes", above=TOO_MANY_BYTES, shown="4 MB")


def _count(
    topic: str, name: str, operation: str, request: Callable[[int], Request], most: int, **more: Any
) -> Limit:
    return Limit(topic, name, calling(operation, request), most=most, **more)


def token(length: int) -> Request:
    return {**_transact_write(1), "ClientRequestToken": "t" * length}


BATCHES = (
    _count(
        "Batches and transactions",
        "keys of BatchGetItem, of one table",
        "BatchGetItem",
        _batch_get,
        100,
        least=1,
        below="Member must have length greater than or equal to 1",
        above="Member must have length less than or equal to 100",
    ),
    _count(
        "Batches and transactions",
        "keys of BatchGetItem, of all tables",
        "BatchGetItem",
        _batch_get_of_two_tables,
        100,
        above="Too many items requested for the BatchGetItem call",
    ),
    Limit(
        "Batches and transactions",
        "items that BatchGetItem returns; the others are in UnprocessedKeys",
        _read_in_batch,
        most=16 * MB,
        unit="bytes",
        shown="16 MB",
        cuts=True,
    ),
    _count(
        "Batches and transactions",
        "writes of BatchWriteItem, of one table",
        "BatchWriteItem",
        _batch_write,
        25,
        least=1,
        below="Member must have length greater than or equal to 1",
        above="Member must have length less than or equal to 25",
    ),
    _count(
        "Batches and transactions",
        "writes of BatchWriteItem, of all tables",
        "BatchWriteItem",
        _batch_write_of_two_tables,
        25,
        above="Too many items requested for the BatchWriteItem call",
    ),
    _count(
        "Batches and transactions",
        "items of TransactGetItems",
        "TransactGetItems",
        _transact_get,
        100,
        least=1,
        below="Member must have length greater than or equal to 1",
        above="Member must have length less than or equal to 100",
    ),
    _count(
        "Batches and transactions",
        "actions of TransactWriteItems",
        "TransactWriteItems",
        _transact_write,
        100,
        least=1,
        below="Member must have length greater than or equal to 1",
        above="Member must have length less than or equal to 100",
    ),
    _size("Batches and transactions", "items that TransactWriteItems writes", _write_in_transaction),
    _size("Batches and transactions", "items that TransactGetItems reads", _read_in_transaction),
    _size("Batches and transactions", "items that ExecuteTransaction inserts", _insert_in_transaction),
    _size("Batches and transactions", "items that ExecuteTransaction selects", _select_in_transaction),
    _count(
        "Batches and transactions",
        "ClientRequestToken",
        "TransactWriteItems",
        token,
        36,
        least=1,
        unit="characters",
        below="Member must have length greater than or equal to 1",
        above="Member must have length less than or equal to 36",
    ),
)

PAGES = "limits-pages"
_ROWS = 4


def _create_empty(call: Call, name: str, *key_names: str, **more: Any) -> Reply:
    """Create the table, without the items of an earlier value."""
    if name in call("ListTables", {})["TableNames"]:
        call("DeleteTable", {"TableName": name})
    return call("CreateTable", table(name, *key_names, **more))


def _fill_page(call: Call, size: int) -> None:
    """Write items of one partition that have that many bytes before the last one, which has few."""
    _create_empty(call, PAGES, "p", "c")
    each = size // _ROWS
    sizes = [each] * (_ROWS - 1) + [size - each * (_ROWS - 1)]
    for number, one in enumerate(sizes):
        item = {"p": {"S": "k"}, "c": {"S": str(number)}}
        item["text"] = text(one - len("pkc0text"))
        call("PutItem", {"TableName": PAGES, "Item": item})
    call("PutItem", {"TableName": PAGES, "Item": {"p": {"S": "k"}, "c": {"S": "last"}}})


def _paged(operation: str, request: Request) -> Callable[[Call, int], object]:
    def send(call: Call, size: int) -> object:
        _fill_page(call, size)
        reply = call(operation, request)
        if len(reply["Items"]) <= _ROWS:
            assert "LastEvaluatedKey" in reply or "NextToken" in reply
            raise Cut
        return reply

    return send


def _page(name: str, operation: str, request: Request) -> Limit:
    # A page ends with the item that reaches 1 MB, so one byte less leaves place for another item.
    return Limit(
        "Pages", name, _paged(operation, request), most=MB - 1, unit="bytes", shown="1 MB", cuts=True
    )


QUERY = {
    "TableName": PAGES,
    "KeyConditionExpression": "p = :p",
    "ExpressionAttributeValues": {":p": {"S": "k"}},
}


def _segment(total: int) -> Request:
    return {"TableName": PLAIN, "Segment": 0, "TotalSegments": total}


def _at_most(
    name: str, operation: str, request: Callable[[int], Request], most: int | None, **more: Any
) -> Limit:
    least = more.pop("least", 1)
    return Limit(
        more.pop("topic", "Pages"),
        name,
        calling(operation, request),
        least=least,
        most=most,
        below=more.pop("below", f"{AT_LEAST} {least}"),
        above=f"{AT_MOST} {most}",
        **more,
    )


def _read_limit(operation: str, request: Request) -> Limit:
    return _at_most(
        f"Limit of {operation}",
        operation,
        lambda number: {**request, "Limit": number},
        None,
        below="greater than or equal to 1",
    )


PAGED = (
    _page("items that Query reads", "Query", QUERY),
    _page("items that Scan reads", "Scan", {"TableName": PAGES}),
    _page(
        "items that a SELECT reads",
        "ExecuteStatement",
        {"Statement": f"SELECT * FROM \"{PAGES}\" WHERE p = 'k'"},
    ),
    _read_limit("Query", {**QUERY, "TableName": SORTED}),
    _read_limit("Scan", {"TableName": PLAIN}),
    _read_limit("ExecuteStatement", {"Statement": f'SELECT * FROM "{PLAIN}"'}),
    _at_most("TotalSegments of Scan", "Scan", _segment, 1_000_000),
    _at_most(
        "Segment of Scan",
        "Scan",
        lambda number: {"TableName": PLAIN, "Segment": number, "TotalSegments": 1_000_000},
        999_999,
        least=0,
    ),
    _at_most("Limit of ListTables", "ListTables", lambda number: {"Limit": number}, 100),
    _at_most("Limit of ListBackups", "ListBackups", lambda number: {"Limit": number}, 100),
    _at_most("MaxResults of ListExports", "ListExports", lambda number: {"MaxResults": number}, 25),
    _at_most("PageSize of ListImports", "ListImports", lambda number: {"PageSize": number}, 25),
    _at_most(
        "MaxResults of ListContributorInsights",
        "ListContributorInsights",
        lambda number: {"MaxResults": number},
        100,
        least=0,
    ),
)

STREAMED = "limits-streamed"
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}


def _stream(call: Call) -> str:
    """The ARN of the stream of a new, empty table."""
    created = _create_empty(call, STREAMED, "p", StreamSpecification=STREAM)
    return str(created["TableDescription"]["LatestStreamArn"])


def _iterator(call: Call, arn: str) -> str:
    shards = call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    request = {"StreamArn": arn, "ShardId": shards[0]["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    return str(call("GetShardIterator", request)["ShardIterator"])


def _get_records(call: Call, limit: int) -> object:
    return call("GetRecords", {"ShardIterator": _iterator(call, _stream(call)), "Limit": limit})


def _read_bytes(call: Call, size: int) -> object:
    """Read records of that size: each counts its keys and its image."""
    arn = _stream(call)
    sizes = [size // 4] * 3 + [size - size // 4 * 3]
    for number, one in enumerate(sizes):
        key = f"{number}"
        item = item_of(one - len("p") - len(key), key)
        call("PutItem", {"TableName": STREAMED, "Item": item})
    reply = call("GetRecords", {"ShardIterator": _iterator(call, arn)})
    if len(reply["Records"]) < len(sizes):
        raise Cut
    return reply


def _read_many(call: Call, count: int) -> object:
    arn = _stream(call)
    for first in range(0, count, 25):
        numbers = range(first, min(first + 25, count))
        puts = [{"PutRequest": {"Item": _key(number)}} for number in numbers]
        call("BatchWriteItem", {"RequestItems": {STREAMED: puts}})
    reply = call("GetRecords", {"ShardIterator": _iterator(call, arn)})
    if len(reply["Records"]) < count:
        raise Cut
    return reply


def _on_stream(operation: str) -> Callable[[Call, int], object]:
    return lambda call, limit: call(operation, {"StreamArn": _stream(call), "Limit": limit})


STREAMS = (
    Limit(
        "Streams",
        "Limit of GetRecords",
        _get_records,
        least=1,
        most=1000,
        below=f"{AT_LEAST} 1",
        above=f"{AT_MOST} 1000",
    ),
    Limit("Streams", "records of GetRecords", _read_many, most=1000, cuts=True),
    Limit(
        "Streams",
        "bytes of the records of GetRecords",
        _read_bytes,
        most=MB,
        unit="bytes",
        shown="1 MB",
        cuts=True,
    ),
    Limit(
        "Streams",
        "Limit of DescribeStream",
        _on_stream("DescribeStream"),
        least=1,
        most=100,
        below=f"{AT_LEAST} 1",
        above=f"{AT_MOST} 100",
    ),
    _at_most("Limit of ListStreams", "ListStreams", lambda number: {"Limit": number}, 100, topic="Streams"),
)

LIMITS = (*BATCHES, *PAGED, *STREAMS)
