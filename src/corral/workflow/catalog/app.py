"""Actions on apps."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from corral.workflow.action_spec import ActionSpec, Args, Output
from corral.workflow.catalog.fields import Activity, InputFile, Package, VisibleText, WaitSeconds


class InstallArgs(Args, frozen=True, kw_only=True):
    file: InputFile
    replace: Annotated[bool, Meta(description="Replace an installed version, keeping its data.")] = True
    grant_permissions: Annotated[bool, Meta(description="Grant all permissions that the app asks for.")] = True
    allow_downgrade: Annotated[bool, Meta(description="Allow an older version than the installed one.")] = False


class StartArgs(Args, frozen=True, kw_only=True):
    package: Package
    activity: Activity | None = None
    stop_first: Annotated[bool, Meta(description="Stop the app before starting it.")] = False


class StartOutput(Output, frozen=True, kw_only=True):
    activity: str
    start_ms: int | None


class PackageArgs(Args, frozen=True, kw_only=True):
    package: Package


class UninstallArgs(Args, frozen=True, kw_only=True):
    package: Package
    keep_data: Annotated[bool, Meta(description="Keep the app's data on the device.")] = False


class LoginField(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One field of a login form."""

    field: Annotated[str, Meta(min_length=1, max_length=500, description="The field's label, hint or resource id.")]
    value: Annotated[str, Meta(max_length=4000, description="What to fill in; usually a secret parameter.")]


class LoginArgs(Args, frozen=True, kw_only=True):
    package: Package
    activity: Activity | None = None
    fields: Annotated[
        list[LoginField],
        Meta(min_length=1, max_length=10, description="The fields, in the order of filling."),
    ]
    submit: Annotated[str, Meta(min_length=1, max_length=500, description="The button's text or resource id.")]
    expect_text: VisibleText
    wait_s: Annotated[WaitSeconds, Meta(description="How long to wait for each screen.")] = 20.0


ACTIONS = (
    ActionSpec(
        name="app.install",
        summary="Install an app from an uploaded input file.",
        args=InstallArgs,
        repeatable=True,
        default_timeout_s=300.0,
    ),
    ActionSpec(
        name="app.start",
        summary="Start an app and wait until it is in front.",
        args=StartArgs,
        output=StartOutput,
        repeatable=True,
    ),
    ActionSpec(name="app.stop", summary="Stop an app.", args=PackageArgs, repeatable=True),
    ActionSpec(name="app.clear", summary="Delete an app's data.", args=PackageArgs, repeatable=True),
    ActionSpec(
        name="app.uninstall",
        summary="Uninstall an app. One that is not installed counts as uninstalled.",
        args=UninstallArgs,
        repeatable=True,
    ),
    ActionSpec(
        name="app.login",
        summary="Open an app, fill in the named fields, submit, and check that a text appears.",
        args=LoginArgs,
        default_timeout_s=120.0,
        duration_field="wait_s",
    ),
)
