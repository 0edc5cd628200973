"""The table of commands in docs/cli.md, from the commands themselves: `python -m tests.cli.reference` prints it."""

from collections.abc import Iterator

from cyclopts import App

from corral.cli.main import app

# Said once, above the table.
_COMMON = {"*", "--json", "--url", "--workspace", "--config", "--database-url", "--data-dir"}
# Their flags are settings, which have pages of their own.
_ELSEWHERE = {"corral server", "corral node", "corral simulate"}


def list_commands(parent: App = app, path: str = "corral") -> Iterator[tuple[str, App]]:
    """Every command with its full name, groups that only hold others left out."""
    for name in parent:
        if name.startswith("-"):
            continue
        command, here = parent[name], f"{path} {name}"
        children = list(list_commands(command, here))
        if command.default_command is not None:
            yield here, command
        yield from children


def make_row(path: str, command: App) -> str:
    """`command ARGUMENTS`, what it does, and the flags that only it has."""
    arguments, flags = [], []
    for argument in command.assemble_argument_collection():
        if argument.field_info.is_positional_only:
            name = argument.name.upper()
            arguments.append(name if argument.required else f"[{name}]")
        elif argument.names and not _COMMON.intersection(argument.names) and path not in _ELSEWHERE:
            flags.append(" ".join(f"`{name}`" for name in argument.names if not name.startswith("--no-")))
    first = (command.help or "").strip().split("\n\n")[0].replace("\n", " ")
    said = " ".join([path, *arguments])
    return f"| `{said}` | {first} | {', '.join(flags)} |"


def make_table() -> str:
    rows = [make_row(path, command) for path, command in list_commands()]
    return "\n".join(["| command | | its own flags |", "|---|---|---|", *rows]) + "\n"


if __name__ == "__main__":
    print(make_table(), end="")  # noqa: T201 - what it is for
