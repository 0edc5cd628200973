"""The argument types that several families share."""

from typing import Annotated, Literal

from msgspec import Meta

Package = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+$",
        max_length=255,
        description="The app's package name.",
        extra={"expected": "a package name such as com.android.settings"},
    ),
]
Activity = Annotated[
    str,
    Meta(
        pattern=r"^\.?[A-Za-z_$][A-Za-z0-9_.$]*$",
        max_length=255,
        description="The activity's class, such as .MainActivity; by default the app's launcher activity.",
        extra={"expected": "an activity's class name such as .MainActivity"},
    ),
]
DevicePath = Annotated[
    str,
    Meta(
        pattern=r"^/[^\n]*$",
        max_length=1000,
        description="An absolute path on the device.",
        extra={"expected": "an absolute path"},
    ),
]
InputFile = Annotated[str, Meta(min_length=1, max_length=500, description="An uploaded input file, by name or sha256.")]
NodePath = Annotated[
    str, Meta(min_length=1, max_length=1000, description="A file on the node, as yielded by an earlier step.")
]
Command = Annotated[str, Meta(min_length=1, max_length=20_000, description="The command line.")]
ExitCode = Annotated[int, Meta(ge=0, le=255, description="The exit code that counts as success.")]
VisibleText = Annotated[str, Meta(min_length=1, max_length=1000, description="The text to look for on the screen.")]
Match = Annotated[Literal["exact", "contains", "regex"], Meta(description="How the text is compared.")]
WaitSeconds = Annotated[float, Meta(ge=0, le=3600)]
Percent = Annotated[float, Meta(ge=0, le=100)]
FileName = Annotated[
    str,
    Meta(
        pattern=r"^[^/\\\n]{1,200}$",
        description="A file name, without folders.",
        extra={"expected": "a file name without folders"},
    ),
]
