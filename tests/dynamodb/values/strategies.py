"""Random attribute values and items, as a Python caller would send them."""

from hypothesis import strategies as st

from tablewright.dynamodb.values.attributes import AttributeValue

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numerals = st.integers(-(10**20), 10**20).map(str) | st.decimals(
    min_value=-(10**6), max_value=10**6, places=4, allow_nan=False, allow_infinity=False
).map(str)


def scalars() -> st.SearchStrategy[AttributeValue]:
    """Text, numbers, binary, booleans and null."""
    return st.one_of(
        st.builds(lambda text: {"S": text}, texts),
        st.builds(lambda text: {"N": text}, numerals),
        st.builds(lambda raw: {"B": raw}, st.binary(max_size=20)),
        st.builds(lambda truth: {"BOOL": truth}, st.booleans()),
        st.just({"NULL": True}),
    )


def sets() -> st.SearchStrategy[AttributeValue]:
    """The three kinds of set."""
    integers = st.sets(st.integers(-1000, 1000), min_size=1, max_size=4)
    return st.one_of(
        st.builds(lambda members: {"SS": sorted(members)}, st.sets(texts, min_size=1, max_size=4)),
        st.builds(lambda members: {"NS": [str(member) for member in members]}, integers),
        st.builds(
            lambda members: {"BS": sorted(members)}, st.sets(st.binary(max_size=8), min_size=1, max_size=4)
        ),
    )


def values() -> st.SearchStrategy[AttributeValue]:
    """Any attribute value, nested too."""
    return st.recursive(
        scalars() | sets(),
        lambda inner: st.one_of(
            st.builds(lambda elements: {"L": elements}, st.lists(inner, max_size=3)),
            st.builds(lambda members: {"M": members}, st.dictionaries(texts, inner, max_size=3)),
        ),
        max_leaves=6,
    )


def items() -> st.SearchStrategy[dict[str, AttributeValue]]:
    """Whole items."""
    return st.dictionaries(texts.filter(bool), values(), max_size=5)
