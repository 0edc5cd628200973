"""Browsers: a token traded for a cookie, and what that opens."""

from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio
from msgspec.structs import replace

from corral.config import Secret, ServerConfig
from tests.api.client import AS_OPERATOR, OPERATOR_TOKEN, Operator
from tests.api.conftest import CONFIG, Serving

OURS = {"origin": "http://127.0.0.1:8080"}


@pytest_asyncio.fixture
async def browser(serving: Serving) -> AsyncIterator[httpx.AsyncClient]:
    """A client that keeps cookies."""
    async with serving() as http:
        yield http


async def sign_in(http: httpx.AsyncClient, token: str = OPERATOR_TOKEN, **headers: str) -> httpx.Response:
    return await http.post("/api/session", headers={**OURS, **headers}, json={"token": token})


async def test_a_token_is_traded_for_a_cookie_that_scripts_cannot_read(browser: httpx.AsyncClient) -> None:
    answer = await sign_in(browser)

    assert (answer.status_code, answer.json()["actor"], answer.json()["role"]) == (200, "operator", "admin")
    cookie = answer.headers["set-cookie"]
    told = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert told == {"httponly", "samesite=strict", "path=/", "max-age=43200"}
    assert OPERATOR_TOKEN not in cookie + answer.text
    assert (await browser.get("/api/session")).json() == answer.json()
    assert (await browser.get("/api/runs")).status_code == 200


async def test_over_https_the_cookie_stays_there(serving: Serving) -> None:
    async with serving(replace(CONFIG, trusted_proxy="127.0.0.1")) as http:
        plain = await sign_in(http)
        secure = await sign_in(http, **{"x-forwarded-proto": "https", "x-forwarded-for": "203.0.113.9"})

    assert "secure" not in plain.headers["set-cookie"].lower()
    assert "; secure" in secure.headers["set-cookie"].lower()


async def test_a_session_ends_when_it_is_signed_out_of(browser: httpx.AsyncClient) -> None:
    cookie = (await sign_in(browser)).cookies["corral_session"]

    answer = await browser.delete("/api/session", headers=OURS)

    assert answer.status_code == 204
    assert "max-age=0" in answer.headers["set-cookie"].lower()
    assert (await browser.get("/api/session")).status_code == 401
    assert (await browser.get("/api/runs", headers={"cookie": f"corral_session={cookie}"})).status_code == 401
    assert (await browser.delete("/api/session")).status_code == 204


@pytest.mark.parametrize("headers", [{}, {"origin": "https://evil.example"}, {"sec-fetch-site": "same-site"}])
async def test_a_session_changes_nothing_for_another_page(browser: httpx.AsyncClient, headers: dict[str, str]) -> None:
    await sign_in(browser)

    assert (await browser.post("/api/nodes/scan", headers=headers, json={})).status_code == 403
    assert (await browser.delete("/api/session", headers=headers)).status_code == 403
    assert (await browser.post("/api/nodes/scan", headers=OURS, json={})).status_code == 202


async def test_another_page_signs_nobody_in(browser: httpx.AsyncClient) -> None:
    assert (await sign_in(browser, origin="https://evil.example")).status_code == 403


@pytest.mark.parametrize("ending", ["revoke", "rotate"])
async def test_an_operators_sessions_end_with_their_token_on_every_server(serving: Serving, ending: str) -> None:
    async with serving() as http, serving() as browser:
        operator = Operator(http)
        token = (await operator.post("/api/operators", {"name": "ann", "role": "viewer"})).json()["token"]
        assert (await sign_in(browser, token)).json()["actor"] == "ann"
        cookie = {"cookie": f"corral_session={browser.cookies['corral_session']}"}
        assert (await http.get("/api/runs", headers=cookie)).status_code == 200
        assert (await http.post("/api/nodes/scan", headers={**cookie, **OURS}, json={})).status_code == 403

        if ending == "revoke":
            await operator.delete("/api/operators/ann")
        else:
            await operator.post("/api/operators/ann/token")

        assert (await http.get("/api/runs", headers=cookie)).status_code == 401
        assert (await sign_in(browser, token)).status_code == 401


async def test_the_built_in_operators_sessions_end_with_the_configured_token(serving: Serving) -> None:
    async with serving() as http:
        await sign_in(http)
        cookie = {"cookie": f"corral_session={http.cookies['corral_session']}"}
    async with serving() as same:
        assert (await same.get("/api/session", headers=cookie)).status_code == 200
    async with serving(replace(CONFIG, operator_token=Secret("another-token"))) as changed:
        assert (await changed.get("/api/session", headers=cookie)).status_code == 401
    async with serving(replace(CONFIG, operator_token=None)) as without:
        assert (await without.get("/api/session", headers=cookie)).json()["actor"] == "local"


async def test_guessing_at_the_sign_in_soon_ends(http: httpx.AsyncClient) -> None:
    statuses = [(await sign_in(http, f"guess-{n}")).status_code for n in range(12)]

    assert statuses == [401] * 10 + [429] * 2
    assert (await sign_in(http)).status_code == 429


async def test_a_browser_whose_session_ended_may_sign_in_again(http: httpx.AsyncClient) -> None:
    for _ in range(12):
        assert (await http.get("/api/runs", headers={"cookie": "corral_session=crls_old"})).status_code == 401

    assert (await sign_in(http)).status_code == 200


async def test_on_a_machine_without_a_token_one_is_signed_in_already(serving: Serving) -> None:
    async with serving(ServerConfig()) as local:
        assert (await local.get("/api/session")).json() == {"actor": "local", "role": "admin", "expires_at": None}
        assert (await sign_in(local, "anything")).status_code == 401
        assert (await local.get("/api/session", headers={"host": "evil.example"})).status_code == 403


async def test_who_shows_a_token_sees_who_they_are(http: httpx.AsyncClient) -> None:
    expected = {"actor": "operator", "role": "admin", "expires_at": None}

    assert (await http.get("/api/session", headers=AS_OPERATOR)).json() == expected
    assert (await http.get("/api/session")).status_code == 401
