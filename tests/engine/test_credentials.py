"""Tokens of nodes and operators, sessions, and a node's own word on draining."""

from datetime import timedelta

import pytest

from corral.model.credentials import Role, digest_token
from corral.model.errors import ConflictError, InvalidRequestError, NotFoundError, StaleEpochError
from tests.engine.farm import Farm
from tests.engine.test_schema import fetch, listed_values

HOURS = timedelta(hours=12)


async def actions(farm: Farm) -> list[tuple[str, str, str]]:
    return [(entry.actor, entry.action, entry.subject) for entry in await farm.engine.audit.list()][::-1]


async def test_the_roles_are_those_of_their_column(farm_dsn: str) -> None:
    assert (await listed_values(farm_dsn))["operators.role"] == {str(role) for role in Role}


async def test_a_nodes_tokens_are_kept_by_their_digest_alone(farm: Farm) -> None:
    engine = farm.engine
    token, details = await engine.node_tokens.enroll_node("node-1", actor="ann")
    other, _ = await engine.node_tokens.enroll_node("node-1", actor="ann")

    rows = await fetch(engine.database.dsn, "select t::text as row from corral.node_tokens t")
    assert not any(each in row["row"] for row in rows for each in (token, other))
    assert [each.created_by for each in await engine.node_tokens.list("node-1")] == ["ann", "ann"]
    found = await engine.credentials.find_node_token(digest_token(token.encode()))
    assert (found.node_id, found.token_id) == ("node-1", details.token_id)


async def test_a_revoked_token_proves_nothing_and_the_others_go_on(farm: Farm) -> None:
    engine = farm.engine
    token, details = await engine.node_tokens.enroll_node("node-1")
    other, _ = await engine.node_tokens.enroll_node("node-1")
    before = await engine.credentials.get_credential_version()

    await engine.node_tokens.revoke_node_token("node-1", details.token_id, actor="ann")
    await engine.node_tokens.revoke_node_token("node-1", details.token_id, actor="bob")

    assert (await engine.credentials.find_node_token(digest_token(token.encode()))).node_id is None
    assert (await engine.credentials.find_node_token(digest_token(other.encode()))).node_id == "node-1"
    assert await engine.credentials.get_credential_version() == before + 1
    assert [each.revoked_by for each in await engine.node_tokens.list("node-1")] == ["ann", None]
    with pytest.raises(NotFoundError):
        await engine.node_tokens.revoke_node_token("node-2", details.token_id)


async def test_a_use_is_written_at_most_once_a_minute(farm: Farm) -> None:
    engine = farm.engine
    _, details = await engine.node_tokens.enroll_node("node-1")
    await engine.operators.create_operator("ann", Role.VIEWER)

    async def used_at() -> list[object]:
        await engine.credentials.touch_credentials([details.token_id], ["ann"])
        (token,) = await engine.node_tokens.list("node-1")
        return [token.last_used_at, (await engine.operators.get("ann")).last_used_at]

    first = await used_at()
    await farm.clock.advance(timedelta(seconds=59))
    assert await used_at() == first
    await farm.clock.advance(timedelta(seconds=1))
    assert None not in first
    assert await used_at() != first


async def test_an_operators_name_is_taken_until_it_is_revoked(farm: Farm) -> None:
    operators = farm.engine.operators
    old, _ = await operators.create_operator("ann", Role.VIEWER, actor="local")
    with pytest.raises(ConflictError):
        await operators.create_operator("ann", Role.ADMIN)

    await operators.revoke_operator("ann", actor="local")
    assert (await operators.get("ann")).revoked_at is not None
    with pytest.raises(NotFoundError):
        await operators.rotate_operator_token("ann")
    new, ann = await operators.create_operator("ann", Role.ADMIN, actor="local")

    assert (ann.role, ann.revoked_at) == (Role.ADMIN, None)
    find = farm.engine.credentials.find_operator
    assert (await find(digest_token(old.encode()))).name is None
    assert (await find(digest_token(new.encode()))).role is Role.ADMIN
    assert await actions(farm) == [
        ("local", "operator.create", "ann"),
        ("local", "operator.revoke", "ann"),
        ("local", "operator.create", "ann"),
    ]


@pytest.mark.parametrize("name", ["operator", "local", "anonymous", "node:1", "", "a b", "a" * 64])
async def test_a_name_that_could_be_mistaken_for_another_is_refused(farm: Farm, name: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        await farm.engine.operators.create_operator(name, Role.VIEWER)
    assert caught.value.path == "name"


async def test_a_session_ends_in_time_or_with_its_operator(farm: Farm) -> None:
    engine = farm.engine

    async def open_session(name: str) -> bytes:
        cookie, _ = await engine.sessions.open_session(name, token_digest=digest_token(b"token"), lifetime=HOURS)
        return digest_token(cookie.encode())

    await engine.operators.create_operator("ann", Role.OPERATOR)
    hers, built_in = await open_session("ann"), await open_session("operator")
    assert (await engine.credentials.find_session(hers)).role is Role.OPERATOR
    assert (await engine.credentials.find_session(built_in)).name == "operator"

    await engine.operators.revoke_operator("ann")
    assert (await engine.credentials.find_session(hers)).name is None
    await farm.clock.advance(HOURS)
    assert (await engine.credentials.find_session(built_in)).name is None
    await open_session("operator")
    assert await engine.database.fetch_value("select count(*) from corral.operator_sessions") == 1


async def test_signing_out_ends_a_session_and_is_safe_to_repeat(farm: Farm) -> None:
    engine = farm.engine
    cookie, _ = await engine.sessions.open_session("operator", token_digest=digest_token(b"token"), lifetime=HOURS)
    digest = digest_token(cookie.encode())

    await engine.sessions.close_session(digest)
    version = await engine.credentials.get_credential_version()
    await engine.sessions.close_session(digest)

    assert (await engine.credentials.find_session(digest)).name is None
    assert await engine.credentials.get_credential_version() == version == 1


async def test_a_new_token_ends_the_sessions_of_the_old_one(farm: Farm) -> None:
    engine = farm.engine
    token, _ = await engine.operators.create_operator("ann", Role.VIEWER)
    cookie, _ = await engine.sessions.open_session("ann", token_digest=digest_token(token.encode()), lifetime=HOURS)

    await engine.operators.rotate_operator_token("ann")

    assert (await engine.credentials.find_session(digest_token(cookie.encode()))).name is None
    assert (await engine.credentials.find_operator(digest_token(token.encode()))).name is None


async def test_a_nodes_own_drain_ends_with_its_next_registration(farm: Farm) -> None:
    node = await farm.given_node()
    await farm.engine.nodes.drain_node("node-1", actor="node:node-1", epoch=node.epoch)
    assert (await node.beat()).draining

    node = await node.reboot()

    assert not (await node.beat()).draining


async def test_a_node_cannot_take_back_an_operators_drain(farm: Farm) -> None:
    node = await farm.given_node()
    await farm.engine.nodes.drain_node("node-1", actor="ann")

    for draining in (True, False):
        await farm.engine.nodes.drain_node("node-1", draining=draining, actor="node:node-1", epoch=node.epoch)
    assert (await (await node.reboot()).beat()).draining
    await farm.engine.nodes.drain_node("node-1", draining=False, actor="ann")

    assert not (await farm.engine.nodes.get("node-1")).draining
    assert await actions(farm) == [("ann", "node.drain", "node-1"), ("ann", "node.undrain", "node-1")]


async def test_a_node_that_drains_with_every_heartbeat_is_recorded_once(farm: Farm) -> None:
    node = await farm.given_node()
    for draining in (True, True, False, False):
        await farm.engine.nodes.drain_node("node-1", draining=draining, actor="node:node-1", epoch=node.epoch)

    assert [action for _, action, _ in await actions(farm)] == ["node.drain", "node.undrain"]


async def test_an_agent_whose_successor_registered_drains_nothing(farm: Farm) -> None:
    node = await farm.given_node()
    await node.reboot()

    with pytest.raises(StaleEpochError):
        await farm.engine.nodes.drain_node("node-1", epoch=node.epoch)


async def test_the_audit_is_read_a_page_at_a_time(farm: Farm) -> None:
    audit = farm.engine.audit
    for name in ("ann", "bob", "eve"):
        await farm.engine.operators.create_operator(name, Role.VIEWER, actor="ann" if name == "eve" else "local")

    first = await audit.list(limit=2)
    second = await audit.list(limit=2, before=first[-1].audit_id)

    assert len(first + second) == len({entry.audit_id for entry in first + second}) == 3
    assert [entry.subject for entry in await audit.list(actor="ann")] == ["eve"]
    assert [entry.actor for entry in await audit.list(subject="bob")] == ["local"]
