"""What the plugin was told: the command line before the ini file before the environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from corral.client.config import ClientConfig, load_client_config
from corral.model.errors import ConfigInvalidError


class Settings(NamedTuple):
    """Which phone is wanted, of which farm."""

    client: ClientConfig
    tags: list[str]
    ttl_s: float
    wait_s: float
    purpose: str
    output: Path


def read_settings(config: pytest.Config) -> Settings:
    """Raises pytest.UsageError, which names what is wrong."""
    flags = {
        "url": config.getoption("corral_url") or config.getini("corral_url") or None,
        "token": config.getoption("corral_token"),
    }
    try:
        client = load_client_config(flags, os.environ)
    except ConfigInvalidError as error:
        raise pytest.UsageError(f"corral: {error.message}") from error
    return Settings(
        client=client,
        tags=[*(config.getoption("corral_tag") or config.getini("corral_tags"))],
        ttl_s=_seconds(config, "corral_ttl"),
        wait_s=_seconds(config, "corral_wait"),
        purpose=_purpose(config),
        output=config.rootpath / (config.getoption("corral_output") or config.getini("corral_output")),
    )


def _seconds(config: pytest.Config, name: str) -> float:
    given = config.getoption(name)
    try:
        return float(config.getini(name) if given is None else given)
    except ValueError as error:
        raise pytest.UsageError(f"{name} is a number of seconds, and not {config.getini(name)!r}") from error


def _purpose(config: pytest.Config) -> str:
    """What others read who want the phone: which suite has it, and which worker of it."""
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    return f"pytest {config.rootpath.name}{f' {worker}' if worker else ''}"[:200]
