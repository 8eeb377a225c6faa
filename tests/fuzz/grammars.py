"""The grammars of the languages that users write, with the mistakes that users make in them."""

from tests.fuzz.random_grammar import Grammar

_OPERANDS = """
operand = path | path | value | size ( path ) | function ( arguments ) | ( operand )
arguments = operand | operand , operand | operand , arguments
path = name | name | path . name | path [ index ] | #n . path | ( path ) . name
name = a | b | c | d | e | deep | pk | sk | #n | #m | #undefined | status | _x | é | 1a
index = 0 | 1 | 31 | 2147483647 | 2147483648 | 00 | -1
value = :s | :n | :b | :t | :z | :l | :m | :ss | :ns | :bs | :undefined
function = attribute_exists | attribute_not_exists | attribute_type | begins_with | contains | unknown
"""

CONDITION = Grammar(
    """
condition = clause | clause | condition and condition | condition or condition | not condition | ( condition )
clause = operand comparator operand | predicate ( path ) | predicate ( path , value ) | between | within
between = operand BETWEEN operand AND operand | operand Between operand And operand
within = operand IN ( arguments ) | operand In ( operand )
predicate = attribute_exists | attribute_not_exists | attribute_type | begins_with | contains | size | if_not_exists
comparator = = | <> | < | <= | > | >= | == | !=
and = AND | And | AnD
or = OR | oR
not = NOT | Not | NOT NOT
"""
    + _OPERANDS
)

KEY_CONDITION = Grammar(
    """
condition = hash | hash AND range | range AND hash | ( hash ) AND ( range ) | any | any AND any
hash = pk = value | #h = value | value = pk
range = sk comparator value | sk BETWEEN value AND value | begins_with ( sk , value ) | value comparator sk
any = operand comparator operand | NOT hash | hash OR range | contains ( sk , value ) | sk IN ( value , value )
comparator = = | <> | < | <= | > | >=
"""
    + _OPERANDS
)

UPDATE = Grammar(
    """
update = section | section section | section section section
section = SET assignments | REMOVE paths | ADD elements | DELETE elements | Set assignments
assignments = assignment | assignment , assignments
assignment = path = result
result = operand | operand + operand | operand - operand | if_not_exists ( path , result ) | appended | ( result )
appended = list_append ( result , result )
paths = path | path , paths
elements = path value | path value , elements
"""
    + _OPERANDS
)

PROJECTION = Grammar("projection = path | path | path , projection | path ,\n" + _OPERANDS)

PARTIQL = Grammar(
    """
statement = select | select | insert | update | delete | from | EXISTS ( select ) | statement ; | expression
select = SELECT columns FROM source where order | SELECT columns FROM source WHERE key
select = SELECT extra columns FROM source
extra = DISTINCT | ALL | VALUE
columns = * | column | column , columns
column = path | path AS name | expression | path . *
source = table | table | table . index | table alias | table , table | table JOIN table | << literal >> | expression
alias = t | AS t | AT t | BY t
table = pairs | "pairs" | hash | 'pairs' | missing | "indexed"
index = "by-g" | "by-l" | "none" | by_g
where = WHERE expression | WHERE key | WHERE key AND expression | WHERE key OR key
key = pk = 'p' AND sk = '1' | pk = 'p' | pk IN [ 'p' , 'q' ] | pk = ? | pk = 'p' AND sk BETWEEN '1' AND '2' | pk > 'a'
order = ORDER BY path | ORDER BY path DESC , path ASC | GROUP BY path | LIMIT 1 | HAVING expression | OFFSET 2
insert = INSERT INTO table VALUE struct | INSERT INTO table VALUE struct ON CONFLICT WHERE expression DO NOTHING
update = UPDATE table changes where returning | UPDATE table changes WHERE key returning
from = FROM source where changes returning
changes = change | change changes
change = SET path = expression | SET path = list_append ( path , literal ) | REMOVE path
change = SET path = set_add ( path , bag )
delete = DELETE FROM table where returning | DELETE FROM table WHERE key returning
returning = RETURNING ALL OLD * | RETURNING MODIFIED NEW * | RETURNING ALL NEW path | ;
expression = term | term | expression operator expression | NOT expression | ( expression ) | - expression | tested
tested = path IS type | path IS NOT MISSING | path IN ( literal , literal ) | path NOT IN [ literal ] | ranged
ranged = path BETWEEN literal AND literal | path LIKE 'a%' ESCAPE '\\\\' | path NOT BETWEEN 1 AND 2
operator = = | <> | < | <= | > | >= | + | - | * | / | % | AND | OR | Or | UNION | UNION ALL | EXCEPT
term = path | literal | call | ? | select
call = function ( expression ) | function ( expression , expression ) | count ( * ) | function ( )
function = size | begins_with | contains | attribute_type | exists | char_length | unknown | sexp
path = name | name | path . name | path [ index ] | path . "c d" | path [ * ] | path [ 'x' ]
name = pk | sk | a | m | l | n | "a" | select | $x | é
index = 0 | 1 | 99999999999 | - 1
type = MISSING | NULL | NUMERIC | VARCHAR ( 3 ) | DECIMAL ( 10 , 2 ) | NOT NULL | LIST | STRING
literal = 'text' | 'it''s' | '' | 1 | -1.5 | 1e2 | 1e400 | .5 | 1. | true | FALSE | NULL | MISSING | struct | list
literal = bag | ion
struct = { } | { 'pk' : 'p' , 'sk' : '1' } | { members }
members = 'a' : literal | 'a' : literal , members | a : literal
list = [ ] | [ literals ] | ( literal , literal )
bag = << >> | << literals >> | << 'a' , 'b' >> | << 1 , 1 >>
literals = literal | literal , literals
ion = `1` | `{a:1}` | `2020T`
comment = -- end | /* inside */ | /*
"""
)

VALUES = Grammar(
    """
item = { members } | { members } | { } | [ members ]
members = name : value | name : value , members
name = "pk" | "a" | "é" | "" | "\\u0000" | "a" | "S" | "\\ud83d\\ude00" | "\\ud800"
value = { "S" : text } | { "N" : number } | { "B" : binary } | set | nested | { "BOOL" : truth }
value = { "NULL" : truth } | wrong
set = { "SS" : [ texts ] } | { "NS" : [ numbers ] } | { "BS" : [ binary , binary ] } | { "SS" : [ ] }
nested = { "M" : item } | { "L" : [ values ] } | { "L" : [ ] } | { "M" : { "a" : value } }
values = value | value , values
wrong = { "X" : text } | { } | { "S" : text , "N" : number } | null | { "S" : null } | { "S" : 1 } | 1 | text
texts = text | text , texts
text = "" | "x" | "é" | "\\u0000" | "long text" | "\\n" | "\\ud83d"
numbers = number | number , numbers
number = "1" | "-0" | "1e2" | "1E-130" | "9.99e125" | "1e126" | "" | "NaN" | "0x1" | " 1" | "1_0" | digits | 1 | "٣"
digits = "12345678901234567890123456789012345678" | "123456789012345678901234567890123456789" | "+1.50"
binary = "YWJj" | "YQ==" | "" | "YQ" | "YR==" | "****" | 1
truth = true | false | "true" | "yes" | null | 1
"""
)

ION = Grammar(
    """
file = marker value | value | value value | marker value value | comment value
marker = $ion_1_0
comment = // line\n | /* inside */ | /*
value = { Item : struct } | struct | list | scalar | sexp | { Item : struct , more : value }
struct = { } | { members }
members = name : member | name : member , members
name = pk | a | "a b" | "\\ud800" | "é" | 'quoted' | '''long''' | $10 | null | Item
member = scalar | scalar | list | struct | set | annotation :: member
list = [ ] | [ scalar ] | [ scalar , member ]
sexp = ( scalar ) | ( a + b )
set = $dynamodb_SS :: [ "a" , "b" ] | $dynamodb_NS :: [ 1. , 2.5 ] | $dynamodb_BS :: [ {{YWJj}} ]
set = $dynamodb_SS :: [ 1 ]
annotation = $dynamodb_SS | a | 'b c'
scalar = "text" | '''long''' | 1 | 103. | -1.5d3 | 1e10 | nan | +inf | true | null | null.int | {{YWJj}}
scalar = {{"clob"}} | more
more = 2020-01-01T | symbol | 0x1F | 0b101 | 1_000 | "\\u00e9" | "\\x41" | "\\ud800" | "\\ud83d\\ude00" | 1d9999
more = null.struct | null.list
"""
)

FILTER = Grammar(
    """
filter = clause | clause | filter AND filter | filter OR filter | NOT filter | ( filter )
clause = operand comparator operand | function ( path ) | function ( path , operand ) | between | within
between = path BETWEEN operand AND operand
within = path IN ( operands )
operands = operand | operand , operands
operand = path | {least} | {name} | {at:%Y} | {} | :name | text | number | true | false | null | size ( path )
operand = (operand)
path = field | field | path . field | path [ 'home' ] | path [ 0 ] | path [ "k" ] | path [ -1 ]
field = visits | name | tags | address | addresses | city | history | status | flag | at | unknown | é
comparator = = | <> | < | <= | > | >= | == | !=
function = attribute_exists | attribute_not_exists | attribute_type | begins_with | contains | size | unknown
text = 'Berlin' | "x" | 'it''s' | '' | 'open
number = 1 | -5 | 1.5 | 007 | 1.2.3 | ٣ | 99999999999999999999999999999999999999999
symbol = # | : | #٣ | :٣ | . | ,
"""
)

TEMPLATE = Grammar(
    """
template = parts | parts | { | }
parts = part | part parts | part # parts | part # parts
part = USER# | # | ROLE | {name} | {name: format } | {level: format } | {at: format } | { | } | {1} | {{name}} | é
part = : | {name:}
format = 06 | +06 | 08.2 | 6 | 0 | 06desc | 06 spaced | 06 spaced spaced | %Y-%m-%d | %Y%m | %H:%M | %d | %Q
format = %Y-%m-%dT%H | epoch | more
more = epoch_ms | lower | upper | fold | shard(4) | shard(0) | shard(99999999) | shard(99999999999999999999) | desc
more = lower spaced | ٣ | 0٣ | 00000000000
spaced = desc | desc | %Y
""",
    joins=("", "", "", " "),
)
