"""Actions on the device as a whole."""

from __future__ import annotations

import hashlib

import pytest

from corral.model.errors import (
    ActionFailedError,
    DeviceError,
    DeviceNotBootedError,
    DeviceOfflineError,
    DeviceUnhealthyError,
    OutcomeUnknownError,
)
from corral.node.actions.reboot import Boot, parse_boot
from tests.node.actions.conftest import Clock, Workshop
from tests.node.actions.scripted_phone import PNG, Answer, failed

AWAKE = {
    "sys.boot_completed$": "1\n",
    "settings put": "",
    "input keyevent": "",
    "wm dismiss-keyguard": "",
    "dumpsys window policy": "  KeyguardServiceDelegate\n    showing=false\n",
    "ro.build.version.sdk": "34\n14\nPixel 8\n",
    "wm size": "Physical size: 1080x2400\n",
}
HEALTHY = (
    "  status: 2\n  level: 80\n  scale: 100\n  temperature: 300\n--corral--\n"
    "Filesystem 1K-blocks Used Available Use% Mounted\nx 9 9 2048000 1% /data\n--corral--\n1"
)


async def test_a_device_is_woken_unlocked_sent_home_and_described(workshop: Workshop) -> None:
    workshop.told(AWAKE)

    output = await workshop.perform("device.bootstrap")

    assert output == {"model": "Pixel 8", "os_version": "14", "sdk": 34, "width": 1080, "height": 2400}
    assert workshop.phone.commands[:6] == [
        "getprop sys.boot_completed",
        "settings put global stay_on_while_plugged_in 7",
        "input keyevent KEYCODE_WAKEUP",
        "wm dismiss-keyguard",
        "dumpsys window policy",
        "input keyevent KEYCODE_HOME",
    ]
    assert workshop.bench.lines == []


async def test_only_what_is_asked_for_is_done_to_the_device(workshop: Workshop) -> None:
    workshop.told(AWAKE)

    await workshop.perform("device.bootstrap", wake=False, dismiss_keyguard=False, stay_awake=False, go_home=False)

    assert not [command for command in workshop.phone.commands if command.startswith(("input", "settings", "wm dis"))]


async def test_a_device_that_is_starting_is_waited_for(workshop: Workshop, clock: Clock) -> None:
    workshop.told({**AWAKE, "sys.boot_completed$": ["", "", "1"]})

    await workshop.perform("device.bootstrap")

    assert clock.sleeps == [2.0, 2.0]


async def test_a_device_that_does_not_start_is_told_apart_from_one_that_fails(workshop: Workshop, clock: Clock) -> None:
    workshop.told({"sys.boot_completed$": ""})

    with pytest.raises(DeviceNotBootedError, match="within 60 s"):
        await workshop.perform("device.bootstrap")

    assert clock.now_s == 1060


async def test_a_lock_screen_that_stays_is_told_to_whoever_reads_the_log(workshop: Workshop) -> None:
    workshop.told({**AWAKE, "wm dismiss-keyguard": failed(255), "dumpsys window policy": "  mShowingLockscreen=true"})

    await workshop.perform("device.bootstrap")

    assert "input keyevent KEYCODE_MENU" in workshop.phone.commands
    assert [level for level, _ in workshop.bench.lines] == ["warning"]


async def test_a_device_that_lets_nobody_change_settings_is_used_all_the_same(workshop: Workshop) -> None:
    refusal = "java.lang.SecurityException: Permission denial: writing to settings requires WRITE_SECURE_SETTINGS"
    workshop.told({**AWAKE, "settings put": failed(255, f"Exception occurred while executing 'put':\n{refusal}")})

    assert (await workshop.perform("device.bootstrap"))["sdk"] == 34

    assert [level for level, _ in workshop.bench.lines] == ["warning"]


@pytest.mark.parametrize("said", ["", "²\n14\nPixel 8\n"])
async def test_a_device_that_does_not_say_what_it_is_is_a_failure(workshop: Workshop, said: str) -> None:
    workshop.told({**AWAKE, "ro.build.version.sdk": said})

    with pytest.raises(ActionFailedError, match="which Android"):
        await workshop.perform("device.bootstrap")


async def test_a_command_yields_its_exit_code_and_both_outputs(workshop: Workshop) -> None:
    workshop.told({"^ls; echo $": failed(3, "oops\n", "a\nb\n")})

    output = await workshop.perform("device.shell", command="ls; echo ", exit_code=None)

    assert output == {"exit_code": 3, "stdout": "a\nb", "stderr": "oops"}


async def test_an_unexpected_exit_code_is_a_failure_in_the_commands_words(workshop: Workshop) -> None:
    workshop.told({"ls": failed(1, "ls: /nope: No such file or directory\n")})

    with pytest.raises(ActionFailedError, match=r"ended with 1 instead of 0: ls: /nope"):
        await workshop.perform("device.shell", command="ls /nope")


async def test_a_flood_of_output_is_cut_and_said_to_be(workshop: Workshop) -> None:
    workshop.told({"cat": "x" * 100_000})

    output = await workshop.perform("device.shell", command="cat /big")

    assert len(output["stdout"]) == 65536
    assert workshop.bench.lines == [("warning", "the output was cut after 65536 bytes")]


async def test_a_picture_is_kept_in_the_jobs_directory_and_stored(workshop: Workshop) -> None:
    output = await workshop.perform("device.screenshot")

    path = workshop.bench.scratch.resolve() / "look" / "look.png"
    assert output == {
        "path": "look/look.png",
        "width": 1080,
        "height": 2340,
        "sha256": hashlib.sha256(PNG).hexdigest(),
        "size_bytes": len(PNG),
    }
    assert workshop.bench.stored == [(path, "screenshot", "look.png")]
    assert path.read_bytes() == PNG


async def test_a_picture_can_be_named_and_kept_back_and_taken_again(workshop: Workshop) -> None:
    await workshop.perform("device.screenshot", name="front: page", upload=False)
    output = await workshop.perform("device.screenshot", name="front: page", upload=False)

    assert output["path"] == "look/front_ page.png"
    assert workshop.bench.stored == []


@pytest.mark.parametrize("picture", [b"", b"JFIF", PNG[:12]])
async def test_what_is_no_picture_is_never_kept(workshop: Workshop, picture: bytes) -> None:
    workshop.phone.picture = picture

    with pytest.raises(DeviceError, match="not a PNG"):
        await workshop.perform("device.screenshot")


async def test_a_fit_device_says_how_it_is(workshop: Workshop) -> None:
    workshop.told({"dumpsys battery": HEALTHY})

    assert await workshop.perform("device.health") == {
        "battery_percent": 80.0,
        "temperature_c": 30.0,
        "is_charging": True,
        "free_storage_mb": 2000,
    }


async def test_a_limit_that_is_passed_fails_in_words(workshop: Workshop) -> None:
    workshop.told({"dumpsys battery": HEALTHY})

    with pytest.raises(DeviceUnhealthyError, match="2000 MB of storage free, below 9000 MB"):
        await workshop.perform("device.health", min_free_storage_mb=9000)


async def test_health_of_a_device_that_is_starting_is_not_judged(workshop: Workshop) -> None:
    workshop.told({"dumpsys battery": HEALTHY[:-1]})

    with pytest.raises(DeviceNotBootedError):
        await workshop.perform("device.health")


BOOT_A = "1\n11111111-2222-3333-4444-555555555555\n5000.10 9000.00\n"
BOOT_B = "1\n99999999-2222-3333-4444-555555555555\n20.10 9.00\n"


@pytest.mark.parametrize(
    ("answers", "looks"),
    [
        ([BOOT_A, BOOT_A, DeviceOfflineError("gone"), "\n" + BOOT_B[2:], BOOT_B], 4),
        ([BOOT_A, BOOT_A, BOOT_B], 2),
        (["1\n5000.10 9000.00", "1\n5001.10 9000.00", "1\n12.0 3.0"], 2),
        (["1", "1", DeviceOfflineError("gone"), "1"], 3),
    ],
    ids=["away and back", "back before anybody looked", "no boot id", "neither id nor uptime"],
)
async def test_a_restart_ends_when_another_start_is_complete(
    workshop: Workshop, clock: Clock, answers: list[Answer], looks: int
) -> None:
    workshop.told({"boot_completed": answers})

    output = await workshop.perform("device.reboot")

    assert output == {"boot_s": float(looks)}
    assert workshop.phone.reboots == 1


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([BOOT_A], "did not restart within 60 s"),
        ([BOOT_A, DeviceOfflineError("gone")], "did not come back within 60 s"),
    ],
)
async def test_a_restart_that_never_ends_is_a_device_that_did_not_boot(
    workshop: Workshop, answers: list[Answer], message: str
) -> None:
    workshop.told({"boot_completed": answers})

    with pytest.raises(DeviceNotBootedError, match=message):
        await workshop.perform("device.reboot", wait_s=60)

    assert workshop.phone.reconnects == (0 if len(answers) == 1 else 12)


@pytest.mark.parametrize("trouble", [OutcomeUnknownError("no answer"), DeviceOfflineError("gone")])
async def test_a_phone_that_goes_away_over_the_question_is_restarting(workshop: Workshop, trouble: Exception) -> None:
    workshop.phone.trouble_with_reboot = trouble
    workshop.told({"boot_completed": ["1", "1"]})

    assert await workshop.perform("device.reboot") == {"boot_s": 1.0}


async def test_a_phone_that_was_never_asked_is_not_waited_for(workshop: Workshop) -> None:
    workshop.phone.trouble_with_reboot = DeviceOfflineError("not there", is_started=False)
    workshop.told({"boot_completed": BOOT_A})

    with pytest.raises(DeviceOfflineError, match="not there"):
        await workshop.perform("device.reboot")


def test_every_part_of_a_boots_description_may_be_missing() -> None:
    assert parse_boot("") == Boot(is_complete=False, boot_id=None, uptime_s=None)
    assert parse_boot("1\ncat: Permission denied\nx y") == Boot(is_complete=True, boot_id=None, uptime_s=None)
