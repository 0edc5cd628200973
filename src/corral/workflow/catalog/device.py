"""Actions on the device as a whole."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from corral.workflow.action_spec import ActionSpec, Args, Output
from corral.workflow.catalog.fields import Command, ExitCode, FileName, Percent

Celsius = Annotated[float, Meta(ge=-50, le=150)]


class BootstrapArgs(Args, frozen=True, kw_only=True):
    wake: Annotated[bool, Meta(description="Switch the screen on.")] = True
    dismiss_keyguard: Annotated[bool, Meta(description="Leave a lock screen that has no credential.")] = True
    stay_awake: Annotated[bool, Meta(description="Keep the screen on while the device is plugged in.")] = True
    go_home: Annotated[bool, Meta(description="Go to the home screen.")] = True


class BootstrapOutput(Output, frozen=True, kw_only=True):
    model: str
    os_version: str
    sdk: int
    width: int
    height: int


class ShellArgs(Args, frozen=True, kw_only=True):
    command: Command
    exit_code: ExitCode | None = 0


class ShellOutput(Output, frozen=True, kw_only=True):
    exit_code: int
    stdout: str
    stderr: str


class ScreenshotArgs(Args, frozen=True, kw_only=True):
    name: Annotated[FileName | None, Meta(description="A name for the picture; by default the step's id.")] = None
    upload: Annotated[bool, Meta(description="Store it as an artifact; if not, a later artifact.upload may.")] = True


class ScreenshotOutput(Output, frozen=True, kw_only=True):
    path: str
    width: int
    height: int
    sha256: str
    size_bytes: int


class RebootArgs(Args, frozen=True, kw_only=True):
    wait_s: Annotated[float, Meta(ge=10, le=1800, description="How long to wait for the device to have started.")] = (
        180.0
    )


class RebootOutput(Output, frozen=True, kw_only=True):
    boot_s: float


class HoldArgs(Args, frozen=True, kw_only=True):
    lost_after_s: Annotated[
        float,
        Meta(ge=0, le=3600, description="How long the device may be away, as when it restarts, before this fails."),
    ] = 120.0


class HealthArgs(Args, frozen=True, kw_only=True):
    min_battery_percent: Annotated[Percent | None, Meta(description="Fail below this charge; null never fails.")] = 15.0
    max_temperature_c: Annotated[
        Celsius | None, Meta(description="Fail above this battery temperature; null never fails.")
    ] = 45.0
    min_free_storage_mb: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="Fail below this much free storage.")
    ] = None


class HealthOutput(Output, frozen=True, kw_only=True):
    battery_percent: float | None
    temperature_c: float | None
    is_charging: bool | None
    free_storage_mb: int | None


ACTIONS = (
    ActionSpec(
        name="device.bootstrap",
        summary="Make sure that the device answers, has started, and is awake at a known place.",
        args=BootstrapArgs,
        output=BootstrapOutput,
        repeatable=True,
    ),
    ActionSpec(
        name="device.shell",
        summary="Run a command in the device's shell. Fails if the exit code is not the expected one.",
        args=ShellArgs,
        output=ShellOutput,
    ),
    ActionSpec(
        name="device.screenshot",
        summary="Take a picture of the screen. One that cannot be taken is a failure, never a black picture.",
        args=ScreenshotArgs,
        output=ScreenshotOutput,
        repeatable=True,
    ),
    ActionSpec(
        name="device.reboot",
        summary="Restart the device and wait until it has started.",
        args=RebootArgs,
        output=RebootOutput,
        default_timeout_s=240.0,
        duration_field="wait_s",
    ),
    ActionSpec(
        name="device.hold",
        summary="Keep the device for somebody else's use until the job is stopped; fails if the device stays away.",
        args=HoldArgs,
        repeatable=True,
        default_timeout_s=3600.0,
    ),
    ActionSpec(
        name="device.health",
        summary="Read battery, temperature and storage, and fail if a limit is passed.",
        args=HealthArgs,
        output=HealthOutput,
        repeatable=True,
    ),
)
