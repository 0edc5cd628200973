"""No arguments, however silly, make a command of the phones do anything but end with a status."""

import asyncio
import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corral.simulator.shell.call import COMMANDS
from tests.simulator.handset import HurriedClock, make_phone, sh

_TAKES_TIME = {"sleep"}
_WORDS = st.one_of(
    st.sampled_from(
        (
            "-",
            "-p",
            "-n",
            "-c",
            "-S",
            "-W",
            "-a",
            "-l",
            "-r",
            "-f",
            "-1",
            "0",
            "5",
            "99999999999999999999",
            "9" * 5_000,
            "²",
            "٣",
            "--1",
            "1.5",
            "nan",
            "inf",
            "%d%s%x%5.3d%",
            "%Q%",
            "%٣d",
            "%99999999999d",
            "[",
            "]",
            "=",
            "*",
            "/",
            "/sdcard",
            "/sdcard/f",
            "/system/x",
            "..",
            "dev.corral.demo",
            "dev.corral.demo/.MainActivity",
            "/",
            "a/b/c",
            "list",
            "packages",
            "install",
            "uninstall",
            "grant",
            "path",
            "clear",
            "start",
            "force-stop",
            "broadcast",
            "get",
            "put",
            "global",
            "tap",
            "swipe",
            "text",
            "keyevent",
            "dump",
            "battery",
            "set",
            "level",
            "size",
            "package",
            "power",
            "wifi",
            "enable",
            "set-pin",
            "clear",
        )
    ),
    st.text(max_size=8).filter(lambda word: "\0" not in word),
)


@settings(max_examples=500, deadline=None)
@given(name=st.sampled_from(sorted(set(COMMANDS) - _TAKES_TIME)), args=st.lists(_WORDS, max_size=5))
async def test_any_command_ends_with_a_status(name: str, args: list[str]) -> None:
    phone = make_phone()
    phone.files.write("/sdcard/f", b"line one\nline two\n")
    line = shlex.join([name, *args])
    running = asyncio.create_task(sh(phone, line, b"input\n"))
    for _ in range(50):
        await phone.clock.advance(3600)  # type: ignore[attr-defined] # the clock of these tests
        if running.done():
            break
    await asyncio.wait({running}, timeout=10)

    assert running.done(), line
    if not running.cancelled():  # a phone that restarts takes its command with it
        assert 0 <= running.result().status <= 255, line


@pytest.mark.parametrize(
    "number", ["²", "٣", "--1", "9" * 400, "9" * 5_000, "inf", "nan"], ids=lambda number: number[:4]
)
@pytest.mark.parametrize(
    "line",
    [
        *(
            "printf %d {}",
            "printf %{}d 1",
            "head -n {} /sdcard/f",
            "tail -n +{} /sdcard/f",
            "head -{} /sdcard/f",
            "exit {}",
        ),
        *(
            "test {} -eq 1",
            "test 1 -lt {}",
            "dumpsys battery set level {}",
            "pm install -S {}",
            "input tap {} {}",
            "sleep -{}",
        ),
        *(
            "input swipe {} 1 1 1",
            "input swipe 1 1 1 1 {}",
            "dd if=/sdcard/f bs={}",
            "echo $(( {} + 1 ))",
            "x={}; echo $((x))",
        ),
        *(
            ": corral-job=x fence={}; echo",
            "chmod {} /sdcard/f",
            "am instrument -w -e numShards {} -e shardIndex {} a/b",
        ),
        *(
            "settings put global x {}",
            "input keyevent {}",
            "cmd lock_settings set-pin {}",
            "monkey -p dev.corral.demo {}",
        ),
    ],
)
async def test_a_number_that_is_none_is_complained_of_or_taken_for_another(line: str, number: str) -> None:
    phone = make_phone(clock=HurriedClock())
    phone.files.write("/sdcard/f", b"line one\nline two\n")

    assert 0 <= (await sh(phone, line.replace("{}", number), b"input\n")).status <= 255


@settings(max_examples=100, deadline=None)
@given(words=st.lists(_WORDS, max_size=3))
async def test_any_sleep_sleeps_or_complains(words: list[str]) -> None:
    phone = make_phone()
    running = asyncio.create_task(sh(phone, shlex.join(["sleep", *words])))
    await phone.clock.advance(1e30)  # type: ignore[attr-defined] # as above
    running.cancel()
    await asyncio.wait({running})

    assert running.cancelled() or running.result().status in {0, 1}
