"""Runs a parsed command line on a phone: lists, pipes one stage after the other, redirections, variables, statuses."""

from __future__ import annotations

import asyncio
import contextlib
import fnmatch
import posixpath
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from corral.model.reading import read_count
from corral.simulator.phone.files import FileError
from corral.simulator.scenario.board import Effects
from corral.simulator.shell import commands as _commands  # noqa: F401 - importing it fills the table
from corral.simulator.shell.arithmetic import ExpressionError, compute
from corral.simulator.shell.call import COMMANDS, Call, Io
from corral.simulator.shell.parse import parse
from corral.simulator.shell.streams import Redirected
from corral.simulator.shell.syntax import (
    Command,
    Compound,
    For,
    Group,
    If,
    Part,
    PartKind,
    Pipeline,
    Redirection,
    Script,
    Simple,
    While,
    Word,
)
from corral.simulator.shell.tokens import ShellSyntaxError

if TYPE_CHECKING:
    from corral.simulator.phone.phone import Phone

NOT_FOUND: Final = 127
_MAX_DEPTH: Final = 20
_VARIABLES: Final = {
    "HOME": "/",
    "HOSTNAME": "localhost",
    "PATH": "/product/bin:/apex/com.android.runtime/bin:/system/bin:/system/xbin",
    "PWD": "/",
    "SHELL": "/bin/sh",
    "TMPDIR": "/data/local/tmp",
    "USER": "shell",
    "ANDROID_DATA": "/data",
    "EXTERNAL_STORAGE": "/sdcard",
}
_DEFAULTED: Final = re.compile(r"(\w+):?-(.*)", re.DOTALL)


class _ExitShell(Exception):  # noqa: N818 - not an error: the script said `exit`
    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class _BreakLoop(Exception):  # noqa: N818 - as above
    pass


class _ContinueLoop(Exception):  # noqa: N818 - as above
    pass


class Interpreter:
    """One shell: its variables and directory, and the status of its last command."""

    def __init__(self, phone: Phone, effects: Effects, *, depth: int = 0) -> None:
        self._phone = phone
        self._effects = effects
        self._variables = dict(_VARIABLES)
        self._directory = "/"
        self._status = 0
        self._depth = depth

    async def run_line(self, line: str, io: Io) -> int:
        """Run a line to its end and return its status. What it does not understand is status 2 and a complaint."""
        try:
            script = parse(line)
        except ShellSyntaxError as error:
            await io.err(f"sh: {error}\n".encode())
            return 2
        try:
            return await self._run(script, io)
        except _ExitShell as left:
            return left.status
        except (_BreakLoop, _ContinueLoop):  # outside of any loop
            return 0

    async def _run(self, script: Script, io: Io) -> int:
        for joint, pipeline in script.items:
            if (joint == "&&" and self._status) or (joint == "||" and not self._status):
                continue
            status = await self._run_pipeline(pipeline, io)
            self._status = int(not status) if pipeline.is_negated else status
        return self._status

    async def _run_pipeline(self, pipeline: Pipeline, io: Io) -> int:
        carried: bytes | None = None
        for stage in pipeline.commands[:-1]:
            between, piped = bytearray(), Redirected(io, stdin=carried)
            piped.send(1, between)
            await self._run_command(stage, piped)
            carried = bytes(between)
        return await self._run_command(pipeline.commands[-1], Redirected(io, stdin=carried))

    async def _run_command(self, stage: Command, io: Redirected) -> int:
        outer, inner = io, Redirected(io)
        try:
            files = [await self._redirect(redirection, inner, io) for redirection in stage.redirections]
        except FileError as error:
            await outer.err(f"sh: can't open {error.path}: {error.reason}\n".encode())
            return 1
        try:
            if isinstance(stage, Simple):
                return await self._run_simple(stage, inner)
            return await self._run_compound(stage, inner)
        finally:
            await self._store(files, outer)

    async def _run_compound(self, compound: Compound, io: Io) -> int:
        match compound:
            case Group():
                return await self._run_group(compound, io)
            case If(branches=branches, otherwise=otherwise):
                for condition, body in branches:
                    if await self._run(condition, io) == 0:
                        return await self._run(body, io)
                self._status = 0
                return await self._run(otherwise, io) if otherwise else 0
            case While(condition=condition, is_until=is_until):

                async def is_on() -> bool:
                    return (await self._run(condition, io) == 0) is not is_until

                return await self._repeat(is_on, compound.body, io)
            case For(name=name, words=words):
                rest = [text for word in words for text in await self._fields(word, io)]

                async def has_more() -> bool:
                    if rest:
                        self._variables[name] = rest.pop(0)
                        return True
                    return False

                return await self._repeat(has_more, compound.body, io)

    async def _repeat(self, is_on: Callable[[], Awaitable[bool]], body: Script, io: Io) -> int:
        status = 0
        try:
            while await is_on():
                await asyncio.sleep(0)  # a loop without a pause must not hold up the other phones
                with contextlib.suppress(_ContinueLoop):
                    status = await self._run(body, io)
        except _BreakLoop:
            status = 0
        return status

    async def _run_group(self, group: Group, io: Io) -> int:
        if not group.is_subshell:
            return await self._run(group.body, io)
        shell = self._fork()
        try:
            return await shell._run(group.body, io)  # noqa: SLF001 - a shell of the same class
        except _ExitShell as left:
            return left.status

    async def _run_simple(self, simple: Simple, io: Io) -> int:
        if not simple.words:
            for name, word in simple.assignments:
                self._variables[name] = await self._joined(word, io)
            return 0
        fields = [text for word in simple.words for text in await self._fields(word, io)]
        if fields[:1] == ["exec"]:
            raise _ExitShell(await self._run_fields(fields[1:], io))
        return await self._run_fields(fields, io)

    async def _run_fields(self, fields: list[str], io: Io) -> int:
        if not fields:
            return 0
        name, *args = fields
        builtin = self._builtin(name, args)
        if builtin is not None:
            return builtin
        entry = COMMANDS.get(posixpath.basename(name) if name.startswith(("/system/bin/", "/bin/")) else name)
        if entry is None:
            await io.err(f"sh: {name}: inaccessible or not found\n".encode())
            return NOT_FOUND
        call = Call(
            phone=self._phone,
            effects=self._effects,
            name=name,
            args=args,
            io=io,
            directory=self._directory,
            run=lambda line: self._fork().run_line(line, io),
        )
        try:
            return await entry.handler(call)
        except FileError as error:
            return await call.fail(f"{name}: {error.path}: {error.reason}")

    def _builtin(self, name: str, args: list[str]) -> int | None:
        if name == "exit":
            status = read_count(args[0]) if args else None
            raise _ExitShell(self._status if status is None else status & 0xFF)
        if name in {"break", "continue"}:
            raise _BreakLoop if name == "break" else _ContinueLoop
        if name == "export":
            for name_, _, value in (arg.partition("=") for arg in args if "=" in arg):
                self._variables[name_] = value
            return 0
        if name == "cd":
            target = posixpath.normpath(posixpath.join(self._directory, args[0] if args else "/"))
            if not self._phone.files.is_directory(target):
                return 1
            self._directory = self._variables["PWD"] = target
            return 0
        return None

    def _fork(self) -> Interpreter:
        if self._depth >= _MAX_DEPTH:
            raise _ExitShell(1)
        shell = Interpreter(self._phone, self._effects, depth=self._depth + 1)
        shell._variables = dict(self._variables)
        shell._directory = self._directory
        return shell

    async def _redirect(self, redirection: Redirection, io: Redirected, outer: Io) -> tuple[str, str, bytearray]:
        """Point one stream elsewhere; what a file gets is stored when the command has ended."""
        target = await self._joined(redirection.target, outer)
        if redirection.operator in {">&", "<&"}:
            io.send(redirection.stream, int(target) if target in {"1", "2"} else 1)
            return "", "", bytearray()
        path = posixpath.normpath(posixpath.join(self._directory, target))
        if redirection.operator == "<":
            io.feed(b"" if path == "/dev/null" else self._phone.files.read(path))
            return "", "", bytearray()
        buffer = bytearray()
        io.send(redirection.stream, buffer)
        if path in {"/dev/null", "/dev/tty"}:
            return "", "", buffer
        self._phone.files.check_writable(path)
        return redirection.operator, path, buffer

    async def _store(self, files: list[tuple[str, str, bytearray]], io: Io) -> None:
        for operator, path, buffer in files:
            try:
                if operator == ">":
                    self._phone.files.write(path, bytes(buffer))
                elif operator == ">>":
                    self._phone.files.append(path, bytes(buffer))
            except FileError as error:
                await io.err(f"sh: {error.path}: {error.reason}\n".encode())

    async def _joined(self, word: Word, io: Io) -> str:
        return "".join([await self._text(part, io) for part in word])

    async def _fields(self, word: Word, io: Io) -> list[str]:
        """The arguments that a word becomes: what is unquoted is split at blanks and matched against files."""
        fields: list[str] = []
        current, is_open, is_pattern = "", False, False
        for part in word:
            text = await self._text(part, io)
            if part.is_quoted or part.kind is PartKind.LITERAL:
                current, is_open = current + text, True
                is_pattern |= not part.is_quoted and any(char in text for char in "*?[")
                continue
            pieces = text.split()
            if pieces and text[0].isspace() and is_open:
                fields.append(current)
                current = ""
            for number, piece in enumerate(pieces):
                if number:
                    fields.append(current)
                    current = ""
                current, is_open = current + piece, True
        if is_open:
            fields.extend(self._matches(current) if is_pattern else [current])
        return fields

    def _matches(self, pattern: str) -> list[str]:
        folder, name = posixpath.split(pattern)
        listed = self._phone.files.names(posixpath.join(self._directory, folder))
        found = sorted(entry for entry in listed if fnmatch.fnmatchcase(entry, name) and not entry.startswith("."))
        return [posixpath.join(folder, entry) for entry in found] or [pattern]

    async def _text(self, part: Part, io: Io) -> str:
        if part.kind is PartKind.VARIABLE:
            return self._variable(part.text)
        if part.kind is PartKind.ARITHMETIC:
            return await self._computed(part.text, io)
        if part.kind is PartKind.COMMAND:
            captured = Redirected(io)
            buffer = bytearray()
            captured.send(1, buffer)
            self._status = await self._fork().run_line(part.text, captured)
            return buffer.decode(errors="replace").rstrip("\n")
        return part.text

    async def _computed(self, expression: str, io: Io) -> str:
        try:
            return str(compute(expression, self._variables))
        except ExpressionError as error:
            await io.err(f"sh: {error}\n".encode())
            raise _ExitShell(1) from error

    def _variable(self, name: str) -> str:
        if name == "?":
            return str(self._status)
        if found := _DEFAULTED.fullmatch(name):
            return self._variables.get(found[1]) or found[2]
        return self._variables.get(name, "")
