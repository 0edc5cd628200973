"""Scenarios from YAML: a file, or one of those that ship with Corral, by name."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any, Final

import msgspec
import yaml

from corral.model.errors import InvalidRequestError
from corral.simulator.scenario.model import AnyFault, Fault, Scenario, check_fault, check_suite

_SHIPPED: Final = resources.files("corral.simulator.scenario") / "shipped"
_MAX_BYTES: Final = 1 << 20


def shipped() -> list[str]:
    """The names of the scenarios that ship."""
    return sorted(entry.name.removesuffix(".yaml") for entry in _SHIPPED.iterdir() if entry.name.endswith(".yaml"))


def load_scenario(name: str) -> Scenario:
    """The scenario in this file, or the shipped one of this name. Raises InvalidRequestError with the path of what is wrong."""
    if name in shipped():
        return parse_scenario((_SHIPPED / f"{name}.yaml").read_text(encoding="utf-8"))
    try:
        text = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(shipped())
        raise InvalidRequestError(
            f"no scenario {name}: neither a readable file nor one of {known} ({error})"
        ) from error
    return parse_scenario(text)


def parse_scenario(text: str) -> Scenario:
    """A scenario from its YAML. Raises InvalidRequestError naming everything that is wrong, each with its path."""
    if len(text) > _MAX_BYTES:
        raise InvalidRequestError(f"a scenario of more than {_MAX_BYTES} characters")
    try:
        loaded = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InvalidRequestError(f"not YAML: {error}") from error
    try:
        scenario = msgspec.convert({} if loaded is None else loaded, Scenario)
    except msgspec.ValidationError as error:
        raise InvalidRequestError(f"the scenario is not valid: {error}") from error
    _check(scenario)
    return scenario


def parse_fault(value: Any) -> Fault:  # noqa: ANN401 - whatever JSON holds
    """One fault from plain data. Raises InvalidRequestError."""
    try:
        fault: Fault = msgspec.convert(value, AnyFault)
    except msgspec.ValidationError as error:
        raise InvalidRequestError(f"the fault is not valid: {error}") from error
    problems = check_fault(fault, "$")
    if problems:
        raise InvalidRequestError("; ".join(problems))
    return fault


def _check(scenario: Scenario) -> None:
    faults = scenario.faults
    problems = [problem for at, fault in enumerate(faults) for problem in check_fault(fault, f"$.faults[{at}]")]
    names = [fault.id for fault in faults if fault.id]
    problems += [f"$.faults: the id {name} is used twice" for name in sorted(set(names)) if names.count(name) > 1]
    for at, suite in enumerate(scenario.suites):
        problems += check_suite(suite, f"$.suites[{at}]")
    packages = [suite.package for suite in scenario.suites]
    problems += [f"$.suites: {name} is there twice" for name in sorted(set(packages)) if packages.count(name) > 1]
    if problems:
        raise InvalidRequestError("the scenario is not valid: " + "; ".join(problems))
