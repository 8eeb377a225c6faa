"""The words of sample data are distinct, and its tables have one row for each country."""

from tablewright.generate.samples import sample_words


def test_no_word_occurs_twice() -> None:
    lists = {name: value for name, value in vars(sample_words).items() if name.isupper()}
    by_country = {"CURRENCIES", "TIME_ZONES", "LANGUAGES"}
    assert len(lists) > 20
    assert [
        name for name, words in lists.items() if len(set(words)) < len(words) and name not in by_country
    ] == []


def test_tables_have_a_row_for_each_country() -> None:
    tables = (
        sample_words.COUNTRY_CODES,
        sample_words.CITIES,
        sample_words.CURRENCIES,
        sample_words.LANGUAGES,
        sample_words.TIME_ZONES,
    )
    assert {len(table) for table in tables} == {len(sample_words.COUNTRIES)}
