"""`corral node`: the agent itself, and what an operator does about any node (`corral node drain` and the like)."""

from cyclopts import App

from corral.cli.node import node as run_node
from corral.cli.nodes import describe_state
from corral.cli.options import DEFAULT, Options
from corral.cli.output import age, look, make_console, make_table, print_json, print_table
from corral.model.records import Node

app = App(
    name="node",
    help="Work with the phones of this computer for a Corral server; or, by the commands below, see to any node.",
    help_format="plaintext",
)
app.default(run_node)


@app.command
def drain(node: str, /, *, options: Options = DEFAULT) -> None:
    """Let a node finish what it holds and get nothing new.

    Parameters
    ----------
    node
        The node's id.
    """
    with options.client() as client:
        _say(client.nodes.drain(node), options)


@app.command
def undrain(node: str, /, *, options: Options = DEFAULT) -> None:
    """Let a node get work again.

    Parameters
    ----------
    node
        The node's id.
    """
    with options.client() as client:
        _say(client.nodes.undrain(node), options)


@app.command
def enroll(node: str, /, *, options: Options = DEFAULT) -> None:
    """Give a node a token of its own; it is printed this once. The node takes it as CORRAL_NODE_TOKEN.

    Parameters
    ----------
    node
        The node's id; it may be new.
    """
    with options.client() as client:
        enrolled = client.nodes.enroll(node)
    print_json(enrolled) if options.json else make_console().print(enrolled.token, soft_wrap=True)


@app.command
def tokens(node: str, /, *, options: Options = DEFAULT) -> None:
    """List a node's tokens, without the tokens themselves.

    Parameters
    ----------
    node
        The node's id.
    """
    with options.client() as client:
        found = client.nodes.list_tokens(node)
    if options.json:
        print_json({"tokens": found})
        return
    table = make_table("token", "state", "created", "by", "used")
    for token in found:
        state = "ok" if token.revoked_at is None else "revoked"
        used = "-" if token.last_used_at is None else f"{age(token.last_used_at)} ago"
        table.add_row(str(token.token_id), look(state), f"{age(token.created_at)} ago", token.created_by, used)
    print_table(table, nothing="no tokens: corral node enroll gives one")


@app.command
def revoke(node: str, token: str, /, *, options: Options = DEFAULT) -> None:
    """Let a node's token open nothing any more.

    Parameters
    ----------
    node
        The node's id.
    token
        The token's id, as `corral node tokens` lists it.
    """
    with options.client() as client:
        client.nodes.revoke_token(node, token)
    print_json({"token_id": token}) if options.json else make_console().print(look("revoked"), token)


def _say(node: Node, options: Options) -> None:
    print_json(node) if options.json else make_console().print(look(describe_state(node)), node.node_id)
