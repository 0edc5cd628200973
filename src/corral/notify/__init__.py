"""Telling others what happened: bodies, signatures, and the one place that calls addresses which people gave."""

from corral.notify.address import is_public
from corral.notify.backoff import MOST_TRIES, retry_in
from corral.notify.body import render_body
from corral.notify.send import Answer, Sender
from corral.notify.sign import sign
from corral.notify.url import check_url, conceal_url

__all__ = ["MOST_TRIES", "Answer", "Sender", "check_url", "conceal_url", "is_public", "render_body", "retry_in", "sign"]
