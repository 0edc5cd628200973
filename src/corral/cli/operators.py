"""`corral operators`: who else may use the server."""

from cyclopts import App

from corral.cli.options import DEFAULT, Options
from corral.cli.output import age, look, make_console, make_table, print_json, print_page, print_table
from corral.model.credentials import Role

app = App(name="operators", help="Name who else may use the server, and as what.", help_format="plaintext")


@app.command
def add(name: str, /, *, role: Role = Role.OPERATOR, options: Options = DEFAULT) -> None:
    """Name an operator; the token is printed this once. They take it as CORRAL_TOKEN.

    Parameters
    ----------
    name
        Who; audits keep it.
    role
        viewer looks, operator works, admin also decides who else may.
    """
    with options.client() as client:
        created = client.operators.create(name, role=role)
    print_json(created) if options.json else make_console().print(created.token, soft_wrap=True)


@app.command
def rotate(name: str, /, *, options: Options = DEFAULT) -> None:
    """Give an operator a new token in the place of the old one; it is printed this once.

    Parameters
    ----------
    name
        Who.
    """
    with options.client() as client:
        created = client.operators.rotate_token(name)
    print_json(created) if options.json else make_console().print(created.token, soft_wrap=True)


@app.command(name="list")
def list_operators(*, options: Options = DEFAULT) -> None:
    """List the operators, without their tokens."""
    with options.client() as client:
        found = list(client.operators.list())
    if options.json:
        print_page("operators", found)
        return
    table = make_table("operator", "role", "state", "created", "by", "used")
    for each in found:
        state = "ok" if each.revoked_at is None else "revoked"
        used = "-" if each.last_used_at is None else f"{age(each.last_used_at)} ago"
        table.add_row(each.name, each.role, look(state), f"{age(each.created_at)} ago", each.created_by, used)
    print_table(table, nothing="no named operators: corral operators add names one")


@app.command
def remove(name: str, /, *, options: Options = DEFAULT) -> None:
    """Let an operator's token and sessions open nothing any more. Audits keep the name.

    Parameters
    ----------
    name
        Who.
    """
    with options.client() as client:
        client.operators.revoke(name)
    print_json({"name": name}) if options.json else make_console().print(look("revoked"), name)
