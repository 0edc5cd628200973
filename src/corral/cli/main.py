"""`corral`: every command by the name of its module, so that none loads what only another needs."""

import sys
from typing import Final

from cyclopts import App, CycloptsError, Group

import corral
from corral.cli.exit_status import EXIT_CODES, status_of
from corral.model.errors import CorralError

_INTERRUPTED: Final = 130
_GROUPS: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "Start here": {
        "demo": ("demo:demo", "A farm of simulated phones, and a workflow on all of them."),
        "up": ("up:up", "A whole farm on this computer: database, server, a node on the phones attached."),
    },
    "Work": {
        "run": (
            "run:app",
            "Run a workflow on devices; show, cancel, retry, replay or explain a run, or list its tests.",
        ),
        "runs": ("runs:runs", "List runs, newest first."),
        "logs": ("logs:logs", "Print the log of a run, or follow it."),
        "artifacts": ("artifacts:app", "List or fetch the screenshots, logs and files of a run."),
        "workflow": ("workflow:app", "Validate, push, list and show workflows."),
        "playbook": ("playbook:app", "List, show and run playbooks."),
        "content": ("content:app", "Register videos, keep channels in sync, and see what ran on them."),
        "schedule": ("schedule:app", "Run workflows again and again, at times that cron expressions name."),
        "files": ("files:app", "Push and list the files that recipes install or copy."),
    },
    "Farm": {
        "devices": ("devices:devices", "List the devices, as a table or a heatmap."),
        "device": ("device:app", "Quarantine, release, label or tag a device."),
        "session": ("session:app", "Hold a phone for yourself; see who holds which."),
        "scan": ("scan:scan", "Ask nodes to look for devices."),
        "nodes": ("nodes:nodes", "List the nodes."),
        "node": ("node_app:app", "Work with the phones of this computer; drain or enroll a node."),
        "operators": ("operators:app", "Name who else may use the server, and as what."),
        "webhook": ("webhook:app", "Tell programs and Slack channels of what happens."),
        "audit": ("audit:audit", "Who did what to which."),
    },
    "Server": {
        "server": ("server:server", "Serve the farm's HTTP API."),
        "simulate": ("simulate:simulate", "Simulate phones that adb connects to."),
        "db": ("db:app", "Migrate, inspect, back up and restore the database."),
        "doctor": ("doctor:doctor", "Check what Corral needs, and say what to do about what is missing."),
        "config": ("configuration:configuration", "Print the settings in force, and where each came from."),
    },
}

app = App(
    name="corral",
    help=f"{corral.__doc__}\n\nEvery command has --help; most have --json. {EXIT_CODES}",
    version=corral.__version__,
    exit_on_error=False,
    print_error=False,
    help_format="plaintext",
)
_SETUP: Final = Group("Setup", sort_key=len(_GROUPS))
for _place, (_title, _commands) in enumerate(_GROUPS.items()):
    _group = Group(_title, sort_key=_place)
    for _name, (_where, _help) in _commands.items():
        app.command(f"corral.cli.{_where}", name=_name, help=_help, group=_group)
app.register_install_completion_command(help="Let the shell complete commands and flags.", group=_SETUP)
for _flag in ("--help", "--version"):
    app[_flag].group = _SETUP


def main() -> None:
    """Run the command line. An error that we have a word for is one line on standard error, and a status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a symbol is no reason to fail
    try:
        app()
    except CorralError as error:
        from corral.cli.complain import complain  # noqa: PLC0415 - only where something went wrong

        complain(error)
        sys.exit(status_of(error))
    except CycloptsError as error:  # the words themselves were not understood
        print(f"corral: {error}", file=sys.stderr)  # noqa: T201 - the command line talks
        sys.exit(2)
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stderr.close()
        sys.exit(0)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
