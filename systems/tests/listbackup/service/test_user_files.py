"""Files for users: what is written can be read again, and a spreadsheet runs nothing."""

import csv
import io

import pytest
from tablewright_systems.listbackup.design.archives import FileFormat
from tablewright_systems.listbackup.platforms.protocol import Record
from tablewright_systems.listbackup.service.user_files import parse, render
from tablewright_systems.service import Invalid

RECORDS = [
    Record("1", None, {"id": "1", "name": "Ada", "address": {"city": "Bern", "zip": "3000"}}),
    Record("2", None, {"id": "2", "name": '=HYPERLINK("x")', "note": 'line\nbreak, "quoted"'}),
]


@pytest.mark.parametrize("file_format", list(FileFormat))
def test_a_file_is_read_as_it_was_written(file_format: FileFormat) -> None:
    written = b"".join(render(lambda: RECORDS, file_format))
    assert parse(written, file_format) == RECORDS


@pytest.mark.parametrize("file_format", list(FileFormat))
def test_a_file_without_records_is_valid(file_format: FileFormat) -> None:
    assert parse(b"".join(render(list, file_format)), file_format) == []


@pytest.mark.parametrize("value", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_cell_is_no_formula(value: str) -> None:
    written = b"".join(render(lambda: [Record("1", None, {"name": value})], FileFormat.CSV)).decode()
    (line,) = csv.DictReader(io.StringIO(written, newline=""))
    assert line["name"] == f"'{value}"


@pytest.mark.parametrize("name", ["=HYPERLINK(1)", "@SUM(A1)", "-1"])
def test_the_name_of_a_column_is_no_formula(name: str) -> None:
    records = [Record("1", None, {"id": "1", name: "Ada"})]
    written = b"".join(render(lambda: records, FileFormat.CSV))
    assert written.startswith(f"id,'{name}\r\n".encode())
    assert parse(written, FileFormat.CSV) == records


@pytest.mark.parametrize("depth", [200, 950, 60_000])
def test_records_that_are_nested_too_deeply_are_rejected(depth: int) -> None:
    nested = '[{"id": "1", "a": ' + '{"a":' * depth + "1" + "}" * depth + "}]"
    with pytest.raises(Invalid):
        parse(nested.encode(), FileFormat.JSON)
    with pytest.raises(Invalid):
        parse(f"id,{'.'.join('a' * depth)}\n1,2\n".encode(), FileFormat.CSV)


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_numbers_that_are_not_json_are_rejected(number: str) -> None:
    with pytest.raises(Invalid):
        parse(f'[{{"id": "1", "n": {number}}}]'.encode(), FileFormat.JSON)


def test_values_that_are_no_text_are_json_in_csv() -> None:
    record = Record("1", None, {"tags": [1, "a"], "open": True, "none": None, "empty": {}, "number": -1.5})
    written = b"".join(render(lambda: [record], FileFormat.CSV)).decode()
    assert written.splitlines() == ["id,tags,open,none,empty,number", '1,"[1, ""a""]",true,,{},-1.5']


def test_json_lines_and_a_byte_order_mark_are_accepted() -> None:
    assert [item.id for item in parse(b'\xef\xbb\xbf{"id": 1}\r\n\r\n{"id": "2"}\n', FileFormat.JSON)] == [
        "1",
        "2",
    ]


@pytest.mark.parametrize("text", ["{", "[1]", '[{"id": "1"}, {"id": 1}]', '[{"name": "Ada"}]'])
def test_the_error_names_the_field_of_the_request(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        parse(text.encode(), FileFormat.JSON)
    assert caught.value.field == "content"
