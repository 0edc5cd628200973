"""`corral webhook`: who is told of what happens."""

import time
from typing import Annotated, Final, get_args
from uuid import UUID

import msgspec
from cyclopts import App, Parameter
from rich.text import Text

from corral.cli.exit_status import FAILED, SUCCEEDED
from corral.cli.options import DEFAULT, Options
from corral.cli.output import age, look, make_console, make_table, print_json, print_page, print_table, text_or_dash
from corral.client import Client
from corral.model.errors import InvalidRequestError
from corral.model.notifications import Delivery, Webhook
from corral.model.states import DeliveryStatus, WebhookKind
from corral.wire.webhooks import NewWebhook, Subscription, Subscriptions, WebhookChange

_EXAMPLES: Final = """Examples:

  corral webhook create lab https://example.com/hook --event run.failed --event node.offline
  corral webhook create team https://hooks.slack.com/services/… --kind slack
  corral webhook ping lab
"""
_PATIENCE_S: Final = 15.0
app = App(name="webhook", help_epilogue=_EXAMPLES, help_format="plaintext")
Repeated = Annotated[list[str] | None, Parameter(negative_iterable="")]


@app.command
def create(
    name: str,
    url: str,
    /,
    *,
    event: Repeated = None,
    kind: WebhookKind = WebhookKind.JSON,
    options: Options = DEFAULT,
) -> None:
    """Tell a URL of what happens. What bodies are signed with is printed this once.

    Parameters
    ----------
    name
        What to call the webhook.
    url
        Where to POST to.
    event
        What to tell of: run.failed, run.finished, device.quarantined, node.offline, node.online, nodes.silent or
        schedule.failed; all of it by default.
    kind
        json is signed; slack is what Slack's incoming webhooks take.
    """
    wanted = NewWebhook(name=name, url=url, kind=kind, events=_events(event) or list(get_args(Subscription)))
    with options.client() as client:
        created = client.webhooks.create(wanted)
    if options.json:
        print_json(created)
    elif created.secret is not None:
        make_console().print(created.secret, soft_wrap=True)
    else:
        make_console().print(look("ok", "created"), name)


@app.command(name="list")
def list_webhooks(*, options: Options = DEFAULT) -> None:
    """List the webhooks, without their secrets."""
    with options.client() as client:
        found = list(client.webhooks.list())
    if options.json:
        print_page("webhooks", found)
        return
    table = make_table("webhook", "kind", "url", "events", "state", "last")
    for each in found:
        state = look("ok", "enabled") if each.is_enabled else look("offline", "disabled")
        table.add_row(each.name, each.kind, each.url, ", ".join(each.events), state, _last(each))
    print_table(table, nothing="no webhooks: corral webhook create makes one")


@app.command
def update(
    webhook: str,
    /,
    *,
    name: str | None = None,
    to: str | None = None,
    event: Repeated = None,
    enabled: bool | None = None,
    options: Options = DEFAULT,
) -> None:
    """Change a webhook's name, URL or events, enable or disable it; what is not given stays.

    Parameters
    ----------
    webhook
        Its name.
    name
        Another name.
    to
        Another URL to POST to.
    event
        What to tell of, instead of before.
    enabled
        Whether it is told of anything.
    """
    wanted = {"name": name, "url": to, "events": _events(event), "is_enabled": enabled}
    change = {field: value for field, value in wanted.items() if value is not None}
    if not change:
        raise InvalidRequestError("nothing to change: give --name, --to, --event, --enabled or --no-enabled")
    with options.client() as client:
        changed = client.webhooks.update(client.webhooks.find(webhook).webhook_id, WebhookChange(**change))  # type: ignore[arg-type]  # each is its field's
    print_json(changed) if options.json else make_console().print(look("ok", "changed"), changed.name)


@app.command
def rotate(webhook: str, /, *, options: Options = DEFAULT) -> None:
    """Sign with a new secret from now on; it is printed this once.

    Parameters
    ----------
    webhook
        Its name.
    """
    with options.client() as client:
        rotated = client.webhooks.rotate_secret(client.webhooks.find(webhook).webhook_id)
    print_json(rotated) if options.json else make_console().print(text_or_dash(rotated.secret), soft_wrap=True)


@app.command
def ping(webhook: str, /, *, options: Options = DEFAULT) -> int:
    """Try a webhook, enabled or not, and say how that went.

    Parameters
    ----------
    webhook
        Its name.
    """
    with options.client() as client:
        webhook_id = client.webhooks.find(webhook).webhook_id
        return _follow(client, webhook_id, client.webhooks.ping(webhook_id), options)


@app.command
def deliveries(webhook: str, /, *, limit: int = 20, options: Options = DEFAULT) -> None:
    """List the deliveries of a webhook, newest first.

    Parameters
    ----------
    webhook
        Its name.
    limit
        How many.
    """
    with options.client() as client:
        listed = list(client.webhooks.deliveries(client.webhooks.find(webhook).webhook_id, most=limit))
    if options.json:
        print_page("deliveries", listed)
        return
    table = make_table("delivery", "event", "state", "attempts", "answer", "took", "error", "ago", right=("attempts",))
    for each in listed:
        took = "-" if each.last_latency_ms is None else f"{each.last_latency_ms} ms"
        table.add_row(
            str(each.delivery_id),
            each.type,
            _state(each),
            str(len(each.attempts)),
            text_or_dash(each.last_status_code),
            took,
            text_or_dash(each.last_error),
            age(each.created_at),
        )
    print_table(table, nothing="nothing was told yet: corral webhook ping tries it")


@app.command
def redeliver(webhook: str, delivery: UUID, /, *, options: Options = DEFAULT) -> int:
    """Make a delivery once more, at once, and say how that went.

    Parameters
    ----------
    webhook
        Its name.
    delivery
        The delivery's id.
    """
    with options.client() as client:
        webhook_id = client.webhooks.find(webhook).webhook_id
        return _follow(client, webhook_id, client.webhooks.redeliver(webhook_id, delivery), options)


@app.command
def delete(webhook: str, /, *, options: Options = DEFAULT) -> None:
    """Delete a webhook and its deliveries.

    Parameters
    ----------
    webhook
        Its name.
    """
    with options.client() as client:
        client.webhooks.delete(client.webhooks.find(webhook).webhook_id)
    print_json({"name": webhook}) if options.json else make_console().print(look("revoked", "deleted"), webhook)


def _follow(client: Client, webhook_id: UUID, delivery: Delivery, options: Options) -> int:
    """Wait for the delivery's next attempt to end; say how it went."""
    before, until = len(delivery.attempts), time.monotonic() + _PATIENCE_S
    while len(delivery.attempts) == before and time.monotonic() < until:
        time.sleep(0.2)
        delivery = client.webhooks.get_delivery(webhook_id, delivery.delivery_id).delivery
    if options.json:
        print_json(delivery)
    else:
        answer = "no answer yet" if len(delivery.attempts) == before else text_or_dash(delivery.last_status_code)
        make_console().print(_state(delivery), answer, delivery.last_error or "")
    return SUCCEEDED if delivery.status is DeliveryStatus.DELIVERED else FAILED


def _events(texts: list[str] | None) -> Subscriptions | None:
    if texts is None:
        return None
    try:
        return msgspec.convert(texts, Subscriptions)
    except msgspec.ValidationError:
        known = ", ".join(get_args(Subscription))
        raise InvalidRequestError(f"--event: name some of {known}", path="--event") from None


def _state(delivery: Delivery) -> Text:
    looks = {"delivered": "succeeded", "waiting": "waiting", "failed": "failed"}
    return look(looks[delivery.status], str(delivery.status))


def _last(webhook: Webhook) -> Text:
    if webhook.last_status is None:
        return Text("-")
    looks = {"delivered": "succeeded", "waiting": "waiting", "failed": "failed"}
    return look(looks[webhook.last_status], f"{webhook.last_status} {age(webhook.last_at)} ago")
