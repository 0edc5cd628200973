"""Test suites as actions."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, field

from corral.workflow.action_spec import ActionSpec, Args, Output
from corral.workflow.catalog.fields import InputFile, Package

MAESTRO: Final = "maestro"
"""The capability of nodes that have the program."""

Argument = Annotated[str, Meta(max_length=20_000)]
Retries = Annotated[int, Meta(ge=0, le=10)]
Classes = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z_$][\w$.]*(#[\w$]+)?(,[A-Za-z_$][\w$.]*(#[\w$]+)?)*$",
        max_length=10_000,
        description="Only these: Class or Class#method, several with commas; by default all tests of the package.",
        extra={"expected": "classes such as com.example.LoginTest, or com.example.LoginTest#signsIn"},
    ),
]
Runner = Annotated[
    str,
    Meta(
        pattern=r"^\.?[A-Za-z_$][\w.$]*$",
        max_length=255,
        description="The runner's class; by default the one that the phone lists for the package.",
        extra={"expected": "a class such as androidx.test.runner.AndroidJUnitRunner"},
    ),
]
_INSIDE: Final = r"^[^/\\\0\n][^\\\0\n]*$"
Glob = Annotated[
    str,
    Meta(
        pattern=_INSIDE,
        max_length=500,
        description="A path inside the job's own folder, where * and ** stand for any name and any folders.",
        extra={"expected": "a path inside the job's own folder, such as out/**/*.xml"},
    ),
]
Reports = Annotated[
    str,
    Meta(
        pattern=_INSIDE,
        max_length=500,
        description=(
            "Where the command leaves its results as JUnit XML, inside the job's own folder, such as out/**/*.xml; without it, "
            "the exit code decides."
        ),
        extra={"expected": "a path inside the job's own folder, such as out/**/*.xml"},
    ),
]
FlowPath = Annotated[
    str,
    Meta(
        pattern=_INSIDE,
        max_length=500,
        description="In a zip: the flow or folder to execute; by default its top folder.",
        extra={"expected": "a path inside the zip"},
    ),
]
Variables = Annotated[dict[str, Argument], Meta(max_length=100)]


class InstrumentArgs(Args, frozen=True, kw_only=True):
    package: Annotated[Package, Meta(description="The test package, such as com.example.test; it must be installed.")]
    runner: Runner | None = None
    class_: Classes | None = field(name="class", default=None)
    args: Annotated[
        dict[str, Argument],
        Meta(max_length=50, description="More arguments for the runner (`-e name value`), such as size or annotation."),
    ] = field(default_factory=dict)
    shard: Annotated[
        Literal["none", "tests"],
        Meta(description="none: every phone executes all tests. tests: the phones of the run share them."),
    ] = "none"
    chunk: Annotated[
        Literal["count", "duration"],
        Meta(description="With shard: what makes the portions even, the number of tests or how long they took before."),
    ] = "count"
    test_retries: Annotated[Retries, Meta(description="How often a test that failed is tried again.")] = 0
    infra_retries: Annotated[
        Retries, Meta(description="With shard: how often a test is given to another phone when its phone was lost.")
    ] = 2
    test_timeout_s: Annotated[
        float, Meta(ge=1, le=3600, description="How long a single test may take before its process is given up.")
    ] = 600.0


class SuiteOutput(Output, frozen=True, kw_only=True):
    """How many tests ended how on this phone."""

    total: int
    passed: int
    failed: int
    errored: int
    skipped: int
    flaky: int


class MaestroArgs(Args, frozen=True, kw_only=True):
    flows: InputFile
    path: FlowPath | None = None
    env: Annotated[Variables, Meta(description="Variables for the flows; their names begin with MAESTRO_.")] = field(
        default_factory=dict
    )
    include_tags: Annotated[list[Argument], Meta(max_length=50, description="Only flows with one of these tags.")] = (
        field(default_factory=list)
    )
    exclude_tags: Annotated[list[Argument], Meta(max_length=50, description="No flow with one of these tags.")] = field(
        default_factory=list
    )


class CommandArgs(Args, frozen=True, kw_only=True):
    command: Annotated[
        list[Argument],
        Meta(
            min_length=1,
            max_length=1000,
            description="A program and its arguments, which is given ANDROID_SERIAL and an adb server with this phone alone.",
        ),
    ]
    env: Annotated[Variables, Meta(description="Environment variables to add.")] = field(default_factory=dict)
    inputs: list[InputFile] = field(default_factory=list)
    junit: Reports | None = None
    files: Annotated[
        list[Glob], Meta(max_length=20, description="Files to keep as artifacts, whether it succeeded or not.")
    ] = field(default_factory=list)
    exit_codes: Annotated[
        list[Annotated[int, Meta(ge=0, le=255)]],
        Meta(
            min_length=1,
            max_length=20,
            description="Exit codes that are no failure by themselves (0); add a runner's for failed tests.",
        ),
    ] = field(default_factory=lambda: [0])


class CommandOutput(SuiteOutput, frozen=True, kw_only=True):
    exit_code: int
    files: list[str]


ACTIONS = (
    ActionSpec(
        name="test.instrument",
        summary=(
            "Execute instrumented tests (am instrument) and tell of each as it ends. The step fails with tests_failed if one "
            "of them fails for good on this phone."
        ),
        args=InstrumentArgs,
        output=SuiteOutput,
        default_timeout_s=1800.0,
    ),
    ActionSpec(
        name="test.maestro",
        summary=(
            "Execute Maestro flows, each of them a test: `flows` is a flow (YAML), or a zip of flows and what they need. Only on "
            "nodes that have the program maestro."
        ),
        args=MaestroArgs,
        output=SuiteOutput,
        capability=MAESTRO,
        default_timeout_s=1800.0,
    ),
    ActionSpec(
        name="test.command",
        summary=(
            "Execute any test runner on the node, with an adb server of its own that knows this phone alone, and read the "
            "JUnit XML that it leaves. `inputs` are put into its folder, zips unpacked. Only where --allow-shell was given."
        ),
        args=CommandArgs,
        output=CommandOutput,
        capability="shell",
        default_timeout_s=1800.0,
    ),
)
