"""Texts of sample data: what a text field with a given name usually contains.

The fields of one entity agree with each other: first name, last name, user name and e-mail address are of one person.
Ids are made from the seed and from the time of creation, so the same seed makes the same ids.
"""

import random
import re
import string
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from typing import Any
from uuid import UUID

from tablewright.design.fields.markers import ulid
from tablewright.generate.samples import sample_words as words
from tablewright.generate.samples.sample_words import WORDS


@dataclass(frozen=True, slots=True)
class Person:
    """The person that an entity is about."""

    first_name: str
    last_name: str
    number: int = 0
    """Distinguishes people with the same name; 0 for the first."""

    @property
    def full_name(self) -> str:
        """First and last name."""
        return f"{self.first_name} {self.last_name}"

    @property
    def user_name(self) -> str:
        """The name as an identifier.

        >>> Person("Grace", "Okafor", 2).user_name
        'grace.okafor2'
        """
        name = f"{self.first_name}.{self.last_name}".lower()
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        return f"{plain}{self.number or ''}"


def people(source: random.Random) -> Iterator[Person]:
    """People without end, each name once before the first name with a number."""
    first, last = source.sample(words.FIRST_NAMES, 40), source.sample(words.LAST_NAMES, 41)
    place = 0
    while True:  # 40 and 41 have no common divisor, so all 1,640 pairs occur before one occurs again
        number = place // (40 * 41)
        yield Person(first[place % 40], last[place % 41], number + 1 if number else 0)
        place += 1


_PEOPLE = (
    "user|person|member|customer|employee|student|teacher|author|contact|patient|doctor|player|driver|rider|passenger"
    "|guest|host|owner"
)


class Texts:
    """The texts of one entity."""

    def __init__(self, source: random.Random, subject: str, person: Person, place: int) -> None:
        self._random = source
        self._subject = subject
        """The name of the entity, in snake case."""
        self._person = person
        self._place = place
        """The number of the entity among those of its class."""
        self._home = source.randrange(len(words.COUNTRIES))

    def by_name(self, name: str) -> str | None:
        """A text for a field with that name; None if the name shows no meaning.

        >>> texts = Texts(random.Random(1), "user", Person("Ada", "Kim"), 0)
        >>> texts.by_name("email"), texts.by_name("linkedin_url"), texts.by_name("frobnication")
        ('ada.kim@example.com', 'https://www.linkedin.com/in/ada.kim', None)
        """
        for pattern, make in _BY_NAME:
            if pattern.search(name):
                return make(self, name)
        return None

    def word(self) -> str:
        """Two words that are unlikely to occur again."""
        return f"{self._random.choice(words.WORDS)}-{self._random.choice(words.WORDS)}-{self._random.randint(10, 99)}"

    def sentences(self, count: int) -> str:
        """Some sentences, each once."""
        return " ".join(self._random.sample(words.SENTENCES, count))

    def of(self, known: Sequence[str]) -> str:
        """One of some texts; entities in a row have different ones."""
        return known[(self._place + self._random.randint(0, 1)) % len(known)]

    def at_home(self, known: Sequence[str]) -> str:
        """The text at the entity's own place in a table: its country, and the city and currency of that country."""
        return known[self._home % len(known)]

    def hexadecimal(self, length: int) -> str:
        """A digest or a token."""
        return f"{self._random.getrandbits(4 * length):0{length}x}"

    def display_name(self, name: str) -> str:
        """The name of what the entity is: a person, a company, a product or a group."""
        about = self._subject if re.fullmatch("(full_|display_)?name", name) else name
        if about == "full_name":
            return self._person.full_name
        if re.search(_PEOPLE, about):
            return self._person.full_name
        if re.search(r"product|article|goods", about):
            return words.PRODUCTS[self._place % len(words.PRODUCTS)]
        if re.search(
            r"company|startup|account|organi[sz]ation|vendor|supplier|tenant|shop|store|brand|university",
            about,
        ):
            return self._company()
        if re.search(r"room|board|team|group|channel|club|guild|community|project", about):
            return self.numbered(words.GROUP_NAMES)
        return self.numbered(words.TITLES)

    def url(self, name: str) -> str:
        """An address at example.com; its path shows what the field is for."""
        if "linkedin" in name:
            return f"https://www.linkedin.com/in/{self._person.user_name}"
        what = re.sub(r"_?(url|uri|link|href)$", "", name).replace("_", "-") or "pages"
        suffix = ".png" if re.search("avatar|logo|image|photo|picture|icon", name) else ""
        suffix = suffix or (".pdf" if re.search("resume|deck|file|document|invoice", name) else "")
        return f"https://example.com/{what}/{self._random.choice(words.WORDS)}-{self._random.randint(100, 999)}{suffix}"

    def email(self) -> str:
        """The e-mail address of the person."""
        return f"{self._person.user_name}@example.com"

    def telephone(self) -> str:
        """A number that is reserved for examples."""
        return f"+1 202 555 01{self._random.randint(0, 99):02}"

    def external_id(self, name: str) -> str:
        """The id of another service, with the prefix that it uses."""
        stem = name.removeprefix("stripe_").removesuffix("_id").split("_")[-1]
        prefix = {"customer": "cus", "subscription": "sub", "event": "evt"}.get(stem, stem)
        return f"{prefix}_{self.hexadecimal(14)}"

    def _company(self) -> str:
        name = words.COMPANIES[self._place % len(words.COMPANIES)]
        round_ = self._place // len(words.COMPANIES)
        return f"{name} {words.COMPANY_FORMS[round_ % len(words.COMPANY_FORMS)]}"

    def numbered(self, known: Sequence[str]) -> str:
        """One of some names; with a number when all were used."""
        name, round_ = known[self._place % len(known)], self._place // len(known)
        return f"{name} {round_ + 1}" if round_ else name

    def address(self) -> str:
        """An address of the network that is reserved for documentation."""
        return f"203.0.113.{self._random.randint(1, 254)}"

    def path(self) -> str:
        """A path with two parts."""
        return f"/{self._random.choice(words.WORDS)}/{self._random.choice(words.WORDS)}-{self._place + 1}/"

    @property
    def subject(self) -> str:
        """The name of the entity, in snake case."""
        return self._subject

    @property
    def person(self) -> Person:
        """The person that the entity is about."""
        return self._person


_GENDERS = ("female", "male", "female", "male", "non-binary")
_PRONOUNS = ("she/her", "he/him", "she/her", "he/him", "they/them")
_Make = Callable[[Texts, str], str]
_BY_NAME: tuple[tuple[re.Pattern[str], _Make], ...] = tuple(
    (re.compile(pattern), make)
    for pattern, make in (
        (r"e?mail(_address|_as_given)?$|(^|_)email(_|$)", lambda texts, name: texts.email()),
        (r"first_?name|given_?name|forename", lambda texts, name: texts.person.first_name),
        (r"last_?name|surname|family_?name", lambda texts, name: texts.person.last_name),
        (
            r"user_?name|nick_?name|nick$|handle|login$|(^|_)username$",
            lambda texts, name: texts.person.user_name,
        ),
        (r"^stripe_|^(subscription|customer|price|event|charge|payment)_ref", Texts.external_id),
        (r"user_agent|browser", lambda texts, name: texts.of(words.AGENTS)),
        (r"(^|_)ip(_address)?$|ip_address", lambda texts, name: texts.address()),
        (r"url|uri|website|link$|href|homepage", Texts.url),
        (r"phone|mobile$|telephone|(^|_)tel$|fax|sms", lambda texts, name: texts.telephone()),
        (r"country_code", lambda texts, name: texts.at_home(words.COUNTRY_CODES)),
        (r"country|nationality|nation$", lambda texts, name: texts.at_home(words.COUNTRIES)),
        (r"(^|_)(city|town)(_name)?$|^(location|place)$", lambda texts, name: texts.at_home(words.CITIES)),
        (r"street|address", lambda texts, name: f"{1 + len(name)} {texts.of(words.STREETS)}"),
        (r"post(al)?_?code|zip", lambda texts, name: f"{10000 + int(texts.hexadecimal(4), 16)}"),
        (r"currency", lambda texts, name: texts.at_home(words.CURRENCIES)),
        (r"language|locale|lang$", lambda texts, name: texts.at_home(words.LANGUAGES)),
        (r"time_?zone|(^|_)tz$", lambda texts, name: texts.at_home(words.TIME_ZONES)),
        (r"colou?r", lambda texts, name: texts.of(words.COLOURS)),
        (r"gender", lambda texts, name: texts.at_home(_GENDERS)),
        (r"pronouns?", lambda texts, name: texts.at_home(_PRONOUNS)),
        (r"industry|sector", lambda texts, name: texts.of(words.INDUSTRIES)),
        (r"skills?$", lambda texts, name: texts.of(words.SKILLS)),
        (r"platform$|provider$", lambda texts, name: texts.of(words.PLATFORMS)),
        (
            r"(^|_)(tag|label|keyword|interest|topic|hobby)s?(_key)?$",
            lambda texts, name: texts.of(words.TAGS),
        ),
        (
            r"token|secret|digest|(^|_)hash$|verifier|password|scrypt|(^|_)state$|nonce|signature|fingerprint",
            lambda texts, name: texts.hexadecimal(40),
        ),
        (r"(^|_)path$|directory|folder", lambda texts, name: texts.path()),
        (r"question", lambda texts, name: texts.of(words.QUESTIONS)),
        (r"tagline|slogan|motto", lambda texts, name: texts.of(words.TAGLINES)),
        (r"event_type|event_name", lambda texts, name: texts.of(words.EVENTS)),
        (r"action$", lambda texts, name: texts.of(("create", "update", "delete", "export", "invite"))),
        (r"(resource|entity|object|target)_type", lambda texts, name: texts.of(words.RESOURCES)),
        (
            r"bio$|about$|description|body|message$|content|cover_letter|(^|_)text$|letter$",
            lambda texts, name: texts.sentences(2),
        ),
        (
            r"note|comment|reason|summary|answer|preview|feedback|caption|remark|error",
            lambda texts, name: texts.sentences(1),
        ),
        (r"job_title|position$|occupation", lambda texts, name: texts.of(words.JOB_TITLES)),
        (
            r"subject|title|headline|heading",
            lambda texts, name: texts.of(words.JOB_TITLES if "role" in texts.subject else words.TITLES),
        ),
        (r"equity", lambda texts, name: texts.of(("0.25 - 0.75 %", "0.5 - 1.5 %", "1 - 2 %"))),
        (
            r"compensation|pay_range|salary",
            lambda texts, name: texts.of(("EUR 45,000 - 60,000", "EUR 70,000 - 90,000")),
        ),
        (
            r"sku$|(product|item|article)_(code|number)",
            lambda texts, name: f"SKU-{texts.hexadecimal(6).upper()}",
        ),
        (r"budget|cost|price|amount|fee$", lambda texts, name: texts.of(("450", "800", "1200", "650"))),
        (
            r"_(type|kind|category|status)$",
            lambda texts, name: texts.numbered(("standard", "temporary", "extended")),
        ),
        (r"slug$", lambda texts, name: texts.word()),
        (r"name$", Texts.display_name),
    )
)


_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_EXAMPLES = 12
_CLASSES = (
    string.digits,
    string.digits + "abcdef",
    string.digits + "ABCDEF",
    string.ascii_lowercase,
    string.ascii_uppercase,
    string.digits + string.ascii_lowercase,
    string.digits + string.ascii_uppercase,
)


def seeded_ulid(source: random.Random, time: datetime) -> str:
    """A ULID of a time.

    >>> from datetime import UTC
    >>> seeded_ulid(random.Random(1), datetime(2026, 1, 1, tzinfo=UTC))[:10]
    '01KDVDNA00'
    """
    number = (round(time.timestamp() * 1000) << 80) | source.getrandbits(80)
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -5, -5))


def seeded_uuid(source: random.Random) -> UUID:
    """A UUID, version 4."""
    return UUID(int=source.getrandbits(128), version=4)


def like_factory(factory: Callable[[], Any], source: random.Random, time: datetime) -> Any:
    """A value in the form of those that a default factory makes; its own value if they have no common form.

    >>> like_factory(lambda: f"ord_{random.randint(1000, 9999)}", random.Random(1), datetime(2026, 1, 1))[:4]
    'ord_'
    """
    if factory is ulid:
        return seeded_ulid(source, time)
    texts = [factory() for _ in range(_EXAMPLES)]
    if not all(isinstance(text, str) for text in texts):
        return seeded_uuid(source) if isinstance(texts[0], UUID) else texts[0]
    if all(map(_ULID.fullmatch, texts)):
        return seeded_ulid(source, time)
    if all(map(_UUID.fullmatch, texts)):
        return str(seeded_uuid(source))
    if len(set(map(len, texts))) > 1 or len(set(texts)) == 1:
        return texts[0]
    return "".join(_similar(set(letters), source) for letters in zip(*texts, strict=True))


def _similar(letters: set[str], source: random.Random) -> str:
    """A letter of the smallest class that contains all letters of one position; the letter itself if it is constant."""
    if len(letters) == 1:
        return letters.pop()
    known = next((class_ for class_ in _CLASSES if letters <= set(class_)), "".join(sorted(letters)))
    return source.choice(known)


# The parser of Python itself; it has no public name.
parser = import_module("re._parser")

# The number of repeats beyond the minimum for a part without an upper limit.
MAX_REPEATS = 6
_CATEGORIES = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_WORD": "abcdefghijklmnopqrstuvwxyz",
    "CATEGORY_SPACE": " ",
}


def matching_text(pattern: str, source: random.Random) -> str:
    """A random text that matches the pattern; supports literals, classes, alternatives and repeats.

    Words are used where the pattern accepts them.

    >>> matching_text("^a{2}-(x|y)$", random.Random(1)) in {"aa-x", "aa-y"}
    True
    """
    return _sequence(parser.parse(pattern), source)


def _sequence(parts: Any, source: random.Random) -> str:
    texts, place, parts = [], 0, list(parts)
    while place < len(parts):
        word, used = _word(parts[place : place + 2], source)
        texts.append(word or _part(str(parts[place][0]), parts[place][1], source))
        place += used if word else 1
    return "".join(texts)


def _word(parts: Any, source: random.Random) -> tuple[str, int]:
    """A word where the pattern accepts one, `[a-z]+` or `[A-Z][a-z]+`, and the number of parts that it matches."""
    classes: list[set[str]] = []
    limits = (0, 0)
    for name, value in parts:
        if str(name) == "IN" and not classes:
            classes.append(set(_letters(value)))
        elif str(name) == "MAX_REPEAT" and len(value[2]) == 1 and str(value[2][0][0]) == "IN":
            limits = (value[0] + len(classes), int(value[1]) + len(classes))
            classes.append(set(_letters(value[2][0][1])))
            break
        else:
            return "", 0
    if limits[1] < 4:
        return "", 0
    known = [word for word in WORDS if limits[0] <= len(word) <= limits[1]]
    known += [word.capitalize() for word in known]
    fitting = [word for word in known if word[0] in classes[0] and set(word[1:]) <= classes[-1]]
    return (source.choice(fitting), len(classes)) if fitting else ("", 0)


def _part(name: str, value: Any, source: random.Random) -> str:
    match name:
        case "LITERAL":
            return chr(value)
        case "IN":
            return source.choice(_letters(value))
        case "ANY" | "NOT_LITERAL":
            return source.choice("abcdefghijklmnopqrstuvwxyz")
        case "BRANCH":
            return _sequence(source.choice(value[1]), source)
        case "SUBPATTERN":
            return _sequence(value[-1], source)
        case "MAX_REPEAT" | "MIN_REPEAT":
            least, most, inner = value
            times = source.randint(least, max(least, min(int(most), least + MAX_REPEATS)))
            return "".join(_sequence(inner, source) for _ in range(times))
        case _:
            return ""


def _letters(members: Any) -> list[str]:
    letters: list[str] = []
    for name, value in members:
        match str(name):
            case "LITERAL":
                letters.append(chr(value))
            case "RANGE":
                letters.extend(map(chr, range(value[0], value[1] + 1)))
            case "CATEGORY":
                letters.extend(_CATEGORIES.get(str(value), "a"))
            case "NEGATE":
                return list("abcdefghijklmnopqrstuvwxyz")
    return letters
