"""Keywords of PartiQL, which cannot be names without quotes, in any case: those of SQL-92, and PartiQL's own.

Source: the PartiQL specification and the keyword list of its reference implementation.
"""

KEYWORDS = frozenset(
    """
    absolute action add all allocate alter and any are as asc assertion at authorization avg bag begin between bigint
    bit bit_length blob bool boolean by can_cast can_lossless_cast cascade cascaded case cast catalog char char_length
    character character_length check clob close coalesce collate collation column commit conflict connect connection
    constraint constraints continue convert corresponding count create cross current current_date current_time
    current_timestamp current_user cursor date date_add date_diff deallocate dec decimal declare default deferrable
    deferred delete desc describe descriptor diagnostics disconnect distinct do domain double drop else end escape
    except exception exec execute exists external extract false fetch first float for foreign found from full get
    global go goto grant group having identity immediate in index indicator initially inner input insensitive insert
    int int2 int4 int8 integer integer2 integer4 integer8 intersect interval into is isolation join key language last
    left let level like limit list local lower match max min missing modified module names national natural nchar new
    next no not nothing null nullif numeric octet_length of offset old on only open option or order outer output
    overlaps pad partial pivot position precision prepare preserve primary prior privileges procedure public read real
    references relative remove restrict returning revoke right rollback rows schema scroll section select session
    session_user set sexp size smallint some space sql sqlcode sqlerror sqlstate string struct substring sum symbol
    system_user table temporary then time timestamp to transaction translate translation trim true tuple union unique
    unknown unpivot update upper usage user using value values varchar varying view when whenever where with work
    write zone
    """.split()
)

# Words that are always operators.
WORD_OPERATORS = frozenset(
    {"and", "or", "not", "is", "in", "between", "like", "union", "except", "intersect"}
)

# Words with a token kind of their own.
TOKEN_WORDS = {
    "as": "AS",
    "at": "AT",
    "by": "BY",
    "for": "FOR",
    "null": "NULL",
    "missing": "MISSING",
    "asc": "ASC",
    "desc": "DESC",
}

# Two words that are read as one token.
PAIRS = {
    ("not", "in"): "not_in",
    ("is", "not"): "is_not",
    ("not", "between"): "not_between",
    ("not", "like"): "not_like",
    ("union", "all"): "union_all",
    ("except", "all"): "except_all",
    ("intersect", "all"): "intersect_all",
    ("character", "varying"): "character_varying",
    ("double", "precision"): "double_precision",
    ("insert", "into"): "insert_into",
    ("on", "conflict"): "on_conflict",
    ("do", "nothing"): "do_nothing",
    ("modified", "old"): "modified_old",
    ("modified", "new"): "modified_new",
    ("all", "old"): "all_old",
    ("all", "new"): "all_new",
}

TYPE_ALIASES = {
    "varchar": "character_varying",
    "char": "character",
    "dec": "decimal",
    "int": "integer",
    "int2": "smallint",
    "integer2": "smallint",
    "int4": "integer4",
    "int8": "integer8",
    "bigint": "integer8",
    "bool": "boolean",
}

# The maximum number of parameters of a type, as in DECIMAL(10, 2).
TYPES = {
    **dict.fromkeys(
        "missing null boolean smallint integer4 integer8 integer real double_precision timestamp date string symbol "
        "clob blob struct tuple list sexp bag any".split(),
        0,
    ),
    **dict.fromkeys(("float", "time", "character", "character_varying"), 1),
    **dict.fromkeys(("decimal", "numeric"), 2),
}

# Keywords that may be called as functions.
FUNCTION_WORDS = frozenset(
    "exists count avg max min sum substring char_length character_length octet_length bit_length upper lower size "
    "sexp list bag".split()
)
