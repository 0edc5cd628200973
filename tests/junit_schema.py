"""Checks JUnit XML strictly: against tests/junit.xsd, and that its counts are those of what it holds.

Reads as much of XML Schema as that file uses: references, sequences, choices, occurrences, attributes and simple types. What it
does not know, it refuses, so that a richer schema is not silently believed.
"""

import re
from collections import Counter
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

SCHEMA: Final = Path(__file__).with_name("junit.xsd")
_XS: Final = "{http://www.w3.org/2001/XMLSchema}"
_TYPES: Final = {
    "xs:string": r"(?s).*",
    "xs:token": r"\S+( \S+)*|",
    "xs:nonNegativeInteger": r"\+?\d+",
    "xs:decimal": r"[+-]?(\d+(\.\d*)?|\.\d+)",
    "xs:dateTime": r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)?",
}
_OUTCOMES: Final = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def check_junit(document: bytes | str) -> ET.Element:
    """The root of a valid document. Raises AssertionError with every fault, ParseError where it is no XML."""
    root = ET.fromstring(document)
    declared = {each.attrib["name"]: each for each in ET.parse(SCHEMA).getroot()}
    faults = [] if root.tag == "testsuites" else [f"the root is {root.tag}, not testsuites"]
    faults += [fault for element in root.iter() for fault in _faults(element, declared)]
    if not faults:
        faults = [fault for suite in root.iter("testsuite") for fault in _miscounts(suite)]
    if faults:
        raise AssertionError("\n".join(faults))
    return root


def _faults(element: ET.Element, declared: dict[str, ET.Element]) -> list[str]:
    if element.tag not in declared:
        return [f"{element.tag} is not an element of JUnit"]
    declaration = declared[element.tag]
    kind = declaration.find(f"{_XS}complexType")
    if kind is None:
        assert declaration.attrib["type"] == "xs:string"
        return [f"{element.tag} holds more than text"] if len(element) or element.attrib else []
    faults = _attribute_faults(element, kind)
    content = "".join(f"<{child.tag}>" for child in element)
    model = "".join(_pattern(part) for part in kind if part.tag in {f"{_XS}sequence", f"{_XS}choice"})
    if not re.fullmatch(model, content):
        faults.append(f"{element.tag} holds {content}")
    if kind.get("mixed") != "true" and (element.text or "").strip():
        faults.append(f"{element.tag} holds text")
    return faults + [f"text beside {child.tag}" for child in element if (child.tail or "").strip()]


def _attribute_faults(element: ET.Element, kind: ET.Element) -> list[str]:
    known = {each.attrib["name"]: each for each in kind.findall(f"{_XS}attribute")}
    faults = [f"{element.tag} has no attribute {name}" for name in element.attrib if name not in known]
    for name, each in known.items():
        value = element.get(name)
        if value is None:
            faults += [f"{element.tag} lacks {name}"] if each.get("use") == "required" else []
        elif not re.fullmatch(_TYPES[each.attrib["type"]], value):
            faults.append(f"{element.tag} {name}={value!r} is no {each.attrib['type']}")
    return faults


def _pattern(part: ET.Element) -> str:
    """A particle as a regular expression over the names of children."""
    occurs = {("0", "1"): "?", ("1", "1"): "", ("0", "unbounded"): "*", ("1", "unbounded"): "+"}
    times = occurs[part.get("minOccurs", "1"), part.get("maxOccurs", "1")]
    if part.tag == f"{_XS}element":
        return f"(?:<{re.escape(part.attrib['ref'])}>){times}"
    inner = [_pattern(each) for each in part]
    if part.tag == f"{_XS}choice":
        return f"(?:{'|'.join(inner)}){times}"
    assert part.tag == f"{_XS}sequence", part.tag
    return f"(?:{''.join(inner)}){times}"


def _miscounts(suite: ET.Element) -> list[str]:
    cases = suite.findall("testcase")
    found = Counter({"tests": len(cases)})
    found.update(name for case in cases for child, name in _OUTCOMES.items() if case.find(child) is not None)
    told = {name: int(suite.get(name, "0")) for name in ("tests", *_OUTCOMES.values())}
    return [
        f"{suite.get('name')}: {name} {told[name]}, but {found[name]}" for name in told if told[name] != found[name]
    ]
