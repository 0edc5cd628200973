"""Typing through `input text`, which has a rule of its own for the percent sign."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.model.errors import ActionFailedError
from corral.node.actions.keyboard import hide_keyboard, type_text, typing_commands
from tests.node.actions.scripted_phone import ScriptedPhone, failed

TYPABLE = st.text(
    alphabet=st.one_of(st.sampled_from("%s \n\t'"), st.characters(min_codepoint=0x20, max_codepoint=0x7E))
)


def as_android_types(argument: str) -> str:
    """What Android makes of the argument: a walk that turns `%s` into a space, and knows no escape."""
    characters, index, is_escaped = list(argument), 0, False
    while index < len(characters):
        if is_escaped:
            is_escaped = False
            if characters[index] == "s":
                characters[index] = " "
                index -= 1
                del characters[index]
        if characters[index] == "%":
            is_escaped = True
        index += 1
    return "".join(characters)


def typed(text: str) -> str:
    keys = {"KEYCODE_ENTER": "\n", "KEYCODE_TAB": "\t"}
    commands = list(typing_commands(text))
    assert all(command[:2] in (("input", "text"), ("input", "keyevent")) for command in commands)
    return "".join(keys[what] if kind == "keyevent" else as_android_types(what) for _, kind, what in commands)


@given(TYPABLE)
def test_what_android_types_is_what_was_meant(text: str) -> None:
    assert typed(text) == text


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("hello world", ["input text hello%sworld"]),
        ("100%sure", ["input text 100", "input text %", "input text sure"]),
        ("it's $5; `rm`", ["""input text 'it'"'"'s%s$5;%s`rm`'"""]),
        ("a\nb", ["input text a", "input keyevent KEYCODE_ENTER", "input text b"]),
        ("", []),
    ],
)
async def test_text_is_typed_in_as_few_commands_as_possible(text: str, commands: list[str]) -> None:
    phone = ScriptedPhone({"^input ": ""})

    await type_text(phone, text)

    assert phone.commands == commands


async def test_a_long_text_is_typed_in_pieces_that_together_are_the_text() -> None:
    assert len(list(typing_commands("x" * 500))) == 3
    assert typed("x%s " * 300) == "x%s " * 300


async def test_other_characters_are_refused_without_repeating_what_was_to_be_typed() -> None:
    phone = ScriptedPhone({"settings get secure default_input_method": "com.android.inputmethod.latin/.LatinIME"})

    with pytest.raises(ActionFailedError, match=r"position 4.*ADBKeyBoard") as refused:
        await type_text(phone, "gehü")

    assert "ü" not in refused.value.message
    assert "geh" not in refused.value.message


async def test_other_characters_are_typed_where_adbkeyboard_is_selected() -> None:
    phone = ScriptedPhone({"settings get": "com.android.adbkeyboard/.AdbIME\n", "am broadcast": "Broadcast completed"})

    await type_text(phone, "안녕, 세계")

    encoded = base64.b64encode("안녕, 세계".encode()).decode()
    assert phone.commands[-1] == f"am broadcast -a ADB_INPUT_B64 --es msg {encoded}"


async def test_a_refused_key_is_told_in_the_words_of_the_device() -> None:
    phone = ScriptedPhone({"input": failed(255, "Error: Invalid arguments for command: text")})

    with pytest.raises(ActionFailedError, match="input: Error: Invalid arguments"):
        await type_text(phone, "x")


@pytest.mark.parametrize(
    ("answers", "keys"),
    [
        (["  mInputShown=false"], []),
        ([""], []),
        (["mInputShown=true", "mInputShown=false"], ["KEYCODE_ESCAPE"]),
        (["mInputShown=true"], ["KEYCODE_ESCAPE", "KEYCODE_BACK"]),
    ],
)
async def test_the_keyboard_is_hidden_only_if_it_is_shown(answers: list[str], keys: list[str]) -> None:
    phone = ScriptedPhone({"dumpsys input_method": [*answers], "input keyevent": ""})

    await hide_keyboard(phone)

    assert [command.split()[-1] for command in phone.commands if "keyevent" in command] == keys
