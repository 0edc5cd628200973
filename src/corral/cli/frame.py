"""Problems of a recipe, shown where they are: the line of the file, with its neighbours."""

import re
from typing import Any, Final

import yaml
from rich.text import Text

from corral.cli.output import colour_of
from corral.model.errors import Problem

_PART: Final = re.compile(r"\[(\d+)\]|\[\"((?:[^\"\\]|\\.)*)\"\]|\.?([^.\[]+)")
_SAID: Final = re.compile(r"line (\d+), column \d+: ")
_AROUND: Final = 1


def find_line(text: str, problem: Problem) -> int | None:
    """The number of the line that a problem is about: of the value that its path names, or the nearest around it."""
    if said := _SAID.match(problem.message):
        return int(said[1])
    try:
        node: Any = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError:
        return None
    if node is None or not problem.path:
        return None
    line: int = node.start_mark.line
    for index, quoted, key in _PART.findall(problem.path):
        found = _step(node, index=index, key=quoted or key)
        if found is None:
            break
        node, line = found
    return line + 1


def show(name: str, text: str, problem: Problem) -> Text:
    """`file:line: path: what is wrong`, and the line itself."""
    line = find_line(text, problem)
    shown = Text(f"{name}:{line}: " if line else f"{name}: ", style="bold")
    shown.append(str(problem), style=colour_of("error"))
    lines = text.splitlines()
    if line is None or line > len(lines):
        return shown
    for number in range(max(1, line - _AROUND), min(len(lines), line + _AROUND) + 1):
        mark, style = ("▸", "") if number == line else (" ", "dim")
        shown.append(f"\n  {mark} {number:>4} │ {lines[number - 1]}", style=style)
    return shown


def _step(node: Any, *, index: str, key: str) -> tuple[Any, int] | None:  # noqa: ANN401 - yaml's nodes have no types
    """The child of that name or number, and the line where it begins: that of its name, where it has one."""
    if index and isinstance(node, yaml.SequenceNode):
        if int(index) >= len(node.value):
            return None
        child = node.value[int(index)]
        return child, child.start_mark.line
    if key and isinstance(node, yaml.MappingNode):
        for name, child in node.value:
            if name.value == key:
                return child, name.start_mark.line
    return None
