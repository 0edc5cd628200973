"""Ask registries what they know: PyPI's JSON API for Python, npm's bulk advisories. Which ones, pip and npm say themselves."""

import asyncio
import re
import shlex
import ssl
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

import httpx

from tests.audit.advisories import Advisory, Audit
from tests.audit.pins import Pin
from tests.audit.ranges import is_in_range

AT_ONCE: Final = 16
_ANSWER_S: Final = 5.0
_SAY_S: Final = 20.0
_DEFAULT_INDEX: Final = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
_SETTING = re.compile(r"^(?P<scope>[^=]*)\.(?P<name>index-url|cert)=(?P<value>.+)$")
_BELOW = re.compile(r"<\s*([0-9][^\s,|]*)\s*$")


class NotAnsweredError(Exception):
    """The registry gives no answer that says anything of vulnerabilities."""


@dataclass(frozen=True)
class Registry:
    """Where to ask, and a file of certificates to trust besides the system's, if one is configured."""

    url: str
    certificates: str | None = None

    def client(self) -> httpx.AsyncClient:
        """A client with short patience."""
        trusted = ssl.create_default_context()
        if self.certificates:
            trusted.load_verify_locations(self.certificates)
        return httpx.AsyncClient(verify=trusted, timeout=_ANSWER_S, follow_redirects=True)


def find_python_index() -> Registry:
    """The index that pip uses: as configured, or else its own default. Raises NotAnsweredError."""
    settings: dict[tuple[bool, str], str] = {}
    for line in _say(sys.executable, "-m", "pip", "config", "list").splitlines():
        if found := _SETTING.match(line):
            settings[found["scope"].startswith(":env:"), found["name"]] = shlex.split(found["value"])[0]

    def setting(name: str) -> str | None:
        return settings.get((True, name), settings.get((False, name)))

    simple = setting("index-url") or _say(sys.executable, "-c", _DEFAULT_INDEX).strip()
    return Registry(re.sub(r"/simple/?$", "", simple.rstrip("/")) + "/pypi", setting("cert"))


def find_npm_registry(npm: str | None) -> Registry:
    """The registry that npm uses. Raises NotAnsweredError."""
    if npm is None:
        raise NotAnsweredError("there is no npm here")
    url, cafile = (_say(npm, "config", "get", name).strip() for name in ("registry", "cafile"))
    return Registry(url.rstrip("/"), cafile if cafile not in {"", "null", "undefined"} else None)


async def audit_python(index: Registry, pins: Sequence[Pin], *, what: str = "Python") -> Audit:
    """Each pin by a question of its own, several at once."""
    slots = asyncio.Semaphore(AT_ONCE)
    async with index.client() as http:

        async def ask(pin: Pin) -> list[Advisory] | str:
            async with slots:
                try:
                    return _read_release(
                        pin, await _json(http, "GET", f"{index.url}/{quote(pin.name)}/{pin.version}/json")
                    )
                except NotAnsweredError as error:
                    return str(error)

        answers = await asyncio.gather(*(ask(pin) for pin in pins))
    read = [answer for answer in answers if not isinstance(answer, str)]
    reasons = sorted({answer for answer in answers if isinstance(answer, str)})
    return Audit(what, len(read), len(pins), "; ".join(reasons), [each for found in read for each in found])


async def audit_npm(registry: Registry, pins: Sequence[Pin], *, what: str = "npm") -> Audit:
    """All pins by one question."""
    versions: dict[str, list[str]] = {}
    for pin in pins:
        versions.setdefault(pin.name, []).append(pin.version)
    async with registry.client() as http:
        try:
            told = await _json(http, "POST", f"{registry.url}/-/npm/v1/security/advisories/bulk", body=versions)
            advisories = [
                _read_npm(pin, known)
                for pin in pins
                for known in told.get(pin.name, [])
                if is_in_range(pin.version, known.get("vulnerable_versions") or "*")
            ]
        except NotAnsweredError as error:
            return Audit(what, 0, len(pins), str(error))
        except (AttributeError, KeyError, TypeError):
            return Audit(what, 0, len(pins), "the registry's answer is not one about advisories")
    return Audit(what, len(pins), len(pins), advisories=advisories)


async def _json(http: httpx.AsyncClient, method: str, url: str, *, body: object = None) -> dict[str, Any]:
    try:
        answer = await http.request(method, url, json=body) if body is not None else await http.request(method, url)
        if answer.status_code != httpx.codes.OK:
            raise NotAnsweredError(f"the registry answers {answer.status_code}")
        told = answer.json()
    except httpx.HTTPError as error:
        raise NotAnsweredError(f"the registry does not answer ({type(error).__name__})") from error
    except ValueError as error:
        raise NotAnsweredError("the registry answers something else than JSON") from error
    if not isinstance(told, dict):
        raise NotAnsweredError("the registry's answer is not an object")
    return told


def _read_release(pin: Pin, told: dict[str, Any]) -> list[Advisory]:
    known = told.get("vulnerabilities")
    if not isinstance(known, list):
        raise NotAnsweredError("the registry says nothing of vulnerabilities")
    return [
        Advisory(
            pin,
            ids=(each["id"], *each.get("aliases", [])),
            fixed_in=", ".join(each.get("fixed_in") or []),
            summary=(each.get("summary") or each.get("details") or "").strip().partition("\n")[0][:200],
        )
        for each in known
        if not each.get("withdrawn")
    ]


def _read_npm(pin: Pin, told: dict[str, Any]) -> Advisory:
    """The release without it is the end of the last range, where that is one `<`."""
    fixed = _BELOW.search(told.get("vulnerable_versions") or "")
    ids = (str(told["url"]).rpartition("/")[2], str(told["id"]))
    return Advisory(pin, ids=ids, fixed_in=fixed[1] if fixed else "", summary=str(told.get("title") or "")[:200])


def _say(*words: str) -> str:
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=_SAY_S)
    except (OSError, subprocess.SubprocessError) as error:
        raise NotAnsweredError(f"{words[0].rpartition('/')[2]} does not say what it is configured with") from error
    return done.stdout
