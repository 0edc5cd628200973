"""Values into command lines for the device's shell (mksh, or an older sh), so that none can become a command."""

from __future__ import annotations

import shlex

from corral.model.errors import ActionFailedError


def quote(value: str) -> str:
    """One word that the shell takes as it is, whatever it holds; raises ActionFailedError for what no word can hold."""
    if "\0" in value:
        raise ActionFailedError("a command line cannot hold the character NUL")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ActionFailedError("a command line cannot hold half of a surrogate pair") from None
    return shlex.quote(value)


def command_line(*words: str) -> str:
    """A command and its arguments, each quoted."""
    return " ".join(map(quote, words))
