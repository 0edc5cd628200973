"""Tables of what was measured, in documents that people write: what stands between two markers is written by nobody but this.

<!-- measured: knee -->
…
<!-- end -->
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

_BEGIN: Final = re.compile(r"^<!-- measured: (?P<name>.*?) -->$", re.MULTILINE)
_PLACE: Final = re.compile(
    r"^(?P<begin><!-- measured: (?P<name>.*?) -->\n)(?:(?!<!-- measured: ).*\n)*?(?P<end><!-- end -->)$", re.MULTILINE
)


def fill_in(text: str, tables: Mapping[str, str]) -> str:
    """The document with these tables, each in its place.

    Raises ValueError for a marker that nothing belongs to, that is there twice or has no end, and for a table without a place.
    """
    places = Counter(found["name"] for found in _BEGIN.finditer(text))
    closed = {found["name"] for found in _PLACE.finditer(text)}
    wrong = [
        *(f"nothing belongs to the marker {name}" for name in places if name not in tables),
        *(f"there are {count} places for {name}" for name, count in places.items() if count > 1),
        *(f"the marker {name} has no end" for name in places if name not in closed),
        *(f"there is no place for {name}" for name in tables if name not in places),
    ]
    if wrong:
        raise ValueError("; ".join(wrong))
    return _PLACE.sub(lambda found: f"{found['begin']}{tables[found['name']]}\n{found['end']}", text)


def write_table(head: Iterable[str], rows: Iterable[Iterable[str]], *, words: int = 1) -> str:
    """In Markdown: the first so many columns hold words, the others numbers, which stand at the right."""
    heads = list(head)
    rule = ["---" if column < words else "---:" for column in range(len(heads))]
    return "\n".join("| " + " | ".join(line) + " |" for line in (heads, rule, *rows))
