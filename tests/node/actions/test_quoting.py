"""Values in command lines stay values."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corral.model.errors import ActionFailedError
from corral.node.actions.quoting import command_line, quote

NASTY = st.text(alphabet=st.one_of(st.sampled_from("'\"\\$`;&|<>(){}[]*?~#!%= \t\n-"), st.characters(codec="utf-8")))


@settings(max_examples=60, deadline=None)
@given(NASTY.filter(lambda text: "\0" not in text))
def test_whatever_is_quoted_reaches_a_command_as_one_unchanged_word(value: str) -> None:
    ran = subprocess.run(["/bin/sh", "-c", f"printf %s {quote(value)}"], capture_output=True, check=True)

    assert ran.stdout.decode() == value


@pytest.mark.parametrize("value", ["a\0b", "\ud800"])
def test_what_no_command_line_can_hold_is_refused(value: str) -> None:
    with pytest.raises(ActionFailedError, match="cannot hold"):
        quote(value)


def test_a_command_line_quotes_what_needs_it() -> None:
    assert command_line("am", "start", "-d", "x;reboot", "") == "am start -d 'x;reboot' ''"
