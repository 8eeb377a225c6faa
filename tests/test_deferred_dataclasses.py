"""A deferred dataclass is a standard dataclass, and is compiled when something looks at it."""

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from importlib import import_module
from pkgutil import walk_packages
from typing import Any, ClassVar, Generic, TypeVar

import pytest

import tablewright
from tablewright import deferred_dataclasses
from tests.thread_switching import frequent_thread_switches

T = TypeVar("T")
Decorator = Callable[..., Any]
DEFERRED: Decorator = deferred_dataclasses._deferred_dataclass
STANDARD: Decorator = dataclasses.dataclass


def classes(dataclass: Decorator) -> dict[str, Any]:
    """One class for each way in which the library writes them."""

    @dataclass(frozen=True, slots=True)
    class Plain:
        """A key and its values."""

        key: str
        limit: int | None = None
        names: Mapping[str, str] = field(default_factory=dict, hash=False)
        note: str = field(default="none", repr=False, compare=False)

        def __str__(self) -> str:
            return f"{self.key}!"

    @dataclass(frozen=True, slots=True)
    class Derived(Plain):
        """With a field more."""

        extra: float = field(default=1.5, kw_only=True)

    @dataclass(frozen=True, slots=True, repr=False)
    class Checked(Generic[T]):
        """With rules, a class variable, and a repr of its own."""

        value: T
        kind: ClassVar[str] = "checked"
        made: bool = field(default=False, init=False)

        def __post_init__(self) -> None:
            if self.value is None:
                raise ValueError("value is None")
            object.__setattr__(self, "made", True)

        def __repr__(self) -> str:
            return f"<{self.value}>"

    @dataclass(frozen=True, slots=True, init=False)
    class Built:
        """With a constructor of its own."""

        total: int

        def __init__(self, *parts: int) -> None:
            object.__setattr__(self, "total", sum(parts))

    @dataclass(frozen=True, slots=True)
    class Pages(Sequence[int]):
        """An abstract class as its base."""

        numbers: tuple[int, ...] = ()

        def __getitem__(self, index: Any) -> Any:
            return self.numbers[index]

        def __len__(self) -> int:
            return len(self.numbers)

    @dataclass(frozen=True, slots=True)
    class Empty:
        """No fields."""

    class Subclass(Plain):
        """A plain subclass."""

        other: int

    return {made.__name__: made for made in (Plain, Derived, Checked, Built, Pages, Empty, Subclass)}


@pytest.fixture
def pair() -> tuple[dict[str, Any], dict[str, Any]]:
    return classes(DEFERRED), classes(STANDARD)


EXAMPLES: dict[str, list[Callable[[Any], Any]]] = {
    "Plain": [
        lambda made: made("a"),
        lambda made: made("a", 3, {"b": "c"}, note="x"),
        lambda made: made(key="a", limit=3, names={"b": "c"}),
    ],
    "Derived": [lambda made: made("a"), lambda made: made("a", 1, extra=2.5)],
    "Checked": [lambda made: made(1), lambda made: made("x")],
    "Built": [lambda made: made(), lambda made: made(1, 2)],
    "Pages": [lambda made: made(), lambda made: made((1, 2))],
    "Empty": [lambda made: made()],
    "Subclass": [lambda made: made("a"), lambda made: made("b", 2)],
}
CASES = [(name, build) for name, builds in EXAMPLES.items() for build in builds]


def hashed(value: Any) -> Any:
    try:
        return hash(value)
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize(("name", "build"), CASES)
def test_instances_are_as_those_of_the_standard_decorator(
    name: str, build: Callable[[Any], Any], pair: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    deferred, standard = (build(kinds[name]) for kinds in pair)
    assert repr(deferred) == repr(standard)
    assert str(deferred) == str(standard)
    assert hashed(deferred) == hashed(standard)
    assert dataclasses.asdict(deferred) == dataclasses.asdict(standard)
    assert copy.copy(deferred) == deferred == copy.deepcopy(deferred) == build(pair[0][name])
    assert deferred != standard
    assert hasattr(deferred, "__dict__") == hasattr(standard, "__dict__")


@pytest.mark.parametrize("name", EXAMPLES)
def test_classes_are_as_those_of_the_standard_decorator(
    name: str, pair: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    deferred, standard = (kinds[name] for kinds in pair)
    assert inspect.signature(deferred) == inspect.signature(standard)
    assert deferred.__match_args__ == standard.__match_args__
    assert [(member.name, member.type) for member in dataclasses.fields(deferred)] == [
        (member.name, member.type) for member in dataclasses.fields(standard)
    ]
    assert repr(deferred.__dataclass_params__) == repr(standard.__dataclass_params__)
    assert deferred.__init__.__qualname__ == standard.__init__.__qualname__
    assert getattr(deferred, "__slots__", None) == getattr(standard, "__slots__", None)
    assert (deferred.__doc__, deferred.__module__) == (standard.__doc__, standard.__module__)


@pytest.mark.parametrize(
    "look",
    [
        lambda kind: kind("a"),
        lambda kind: inspect.signature(kind),
        lambda kind: dataclasses.fields(kind),
        lambda kind: dataclasses.is_dataclass(kind),
        lambda kind: kind.__match_args__,
        lambda kind: kind.__hash__,
        lambda kind: kind.__eq__,
        lambda kind: kind.__repr__,
        lambda kind: DEFERRED(frozen=True, slots=True)(type("Derived", (kind,), {})).__dataclass_fields__,
    ],
)
def test_a_class_is_compiled_when_something_looks_at_it(look: Callable[[Any], Any]) -> None:
    plain = classes(DEFERRED)["Plain"]
    assert isinstance(vars(plain)["__init__"], deferred_dataclasses._Deferred)
    look(plain)
    assert not [
        name for name, member in vars(plain).items() if isinstance(member, deferred_dataclasses._Deferred)
    ]
    assert inspect.isfunction(vars(plain)["__init__"])


def test_wrong_arguments_have_the_standard_message(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    messages = []
    for kinds in pair:
        with pytest.raises(TypeError) as error:
            kinds["Plain"]()
        messages.append(str(error.value))
        with pytest.raises(ValueError, match="value is None"):
            kinds["Checked"](None)
    assert messages[0] == messages[1]


def test_instances_are_frozen() -> None:
    kinds = classes(DEFERRED)
    plain = kinds["Plain"]("a")
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'key'"):
        plain.key = "b"
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'key'"):
        del plain.key
    with pytest.raises(dataclasses.FrozenInstanceError):
        plain.unknown = 1
    subclass = kinds["Subclass"]("a")
    subclass.other = 1
    del subclass.other
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'key'"):
        subclass.key = "b"


def test_values_are_matched_and_replaced() -> None:
    plain = classes(DEFERRED)["Plain"]
    match plain("a", 3):
        case plain(key, limit):
            assert (key, limit) == ("a", 3)
        case _:
            pytest.fail("no match")
    assert dataclasses.replace(plain("a", 3), key="b") == plain("b", 3)


@deferred_dataclasses.dataclass(frozen=True, slots=True)
class Pickled:
    """Of a module, so that it can be pickled."""

    key: str
    limit: int = 0


def test_a_process_that_never_made_one_unpickles_it() -> None:
    assert pickle.loads(pickle.dumps(Pickled("a", 3))) == Pickled("a", 3)
    program = (
        "import pickle, sys; one = pickle.loads(bytes.fromhex(sys.argv[1])); "
        "print(repr(one), one == pickle.loads(bytes.fromhex(sys.argv[1])), hash(one) is not None)"
    )
    run = [sys.executable, "-c", program, pickle.dumps(Pickled("a", 3)).hex()]
    ended = subprocess.run(run, capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout.split("\n")[0] == "Pickled(key='a', limit=3) True True"


def test_threads_that_use_a_class_at_once_compile_it_once() -> None:
    with frequent_thread_switches():
        for _ in range(20):
            kinds = classes(DEFERRED)
            start = threading.Barrier(8)
            results: list[Any] = []

            def use(kind: Any, start: threading.Barrier = start, results: list[Any] = results) -> None:
                start.wait()
                one = kind("a")
                results.append((one == kind("a"), repr(one), kind.__init__))

            threads = [threading.Thread(target=use, args=(kinds["Derived"],)) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(results) == 8
            assert len(set(results)) == 1


@pytest.mark.parametrize(
    "options", [{}, {"frozen": True}, {"slots": True}, {"frozen": True, "slots": True, "order": True}]
)
def test_other_options_are_left_to_the_standard_decorator(options: dict[str, Any]) -> None:
    class Written:
        """A number."""

        number: int

    made = DEFERRED(**options)(Written)
    assert inspect.isfunction(vars(made)["__init__"])
    assert repr(made(3)) == f"{Written.__qualname__}(number=3)"


def dataclasses_of_the_library() -> Iterator[type]:
    for module in walk_packages(tablewright.__path__, "tablewright."):
        if module.name.split(".")[1] in ("access", "checks", "design", "dynamodb"):
            for kind in vars(import_module(module.name)).values():
                if isinstance(kind, type) and kind.__module__ == module.name:
                    yield kind


def test_every_dataclass_of_the_library_can_be_compiled() -> None:
    compiled = 0
    for kind in dataclasses_of_the_library():
        if "__dataclass_fields__" in vars(kind):
            assert set(getattr(kind, "__slots__", ())) <= {member.name for member in dataclasses.fields(kind)}
            assert inspect.signature(kind) is not None
            compiled += 1
    assert compiled > 100
