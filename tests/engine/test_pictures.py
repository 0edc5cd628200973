"""Live pictures: asked for while somebody looks, the latest alone kept, forgotten soon after."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from corral.engine.gateway.pictures import WATCH_TIME
from corral.model.errors import NotFoundError, StaleEpochError
from tests.engine.farm import LEASE_TIME, SECOND, Farm, SimulatedNode

PNG = b"\x89PNG\r\n\x1a\nscreen"


async def show(node: SimulatedNode, device_id: UUID, content: bytes = PNG) -> float:
    return await node.engine.pictures.store_picture(
        node.node_id, device_id, epoch=node.epoch, content_type="image/png", content=content
    )


async def test_a_watch_is_news_for_the_devices_node_until_it_ends(farm: Farm) -> None:
    await farm.clock.freeze()
    await farm.given_node(devices=["a", "b"])
    await farm.given_node("node-2", devices=["c"])
    device, _, _ = await farm.engine.devices.list()

    assert await farm.engine.pictures.watch_device(device.device_id) == "node-1"

    (news,) = await farm.engine.nodes.list_news(["node-1", "node-2"])
    (watch,) = await farm.engine.pictures.list_watches("node-1")
    assert (news.node_id, news.has_work, news.watch) == ("node-1", False, [device.device_id])
    assert (watch.device_id, watch.serial, watch.for_s) == (device.device_id, "a", WATCH_TIME.total_seconds())
    await farm.clock.advance(WATCH_TIME + SECOND)
    assert await farm.engine.nodes.list_news(["node-1", "node-2"]) == []


async def test_the_latest_picture_alone_is_kept_with_its_age(farm: Farm) -> None:
    await farm.clock.freeze()
    node = await farm.given_node(devices=1)
    (device,) = await farm.engine.devices.list()
    pictures = farm.engine.pictures
    await pictures.watch_device(device.device_id)

    assert await show(node, device.device_id) == WATCH_TIME.total_seconds()
    await farm.clock.advance(4 * SECOND)
    assert await show(node, device.device_id, PNG + b"2") == WATCH_TIME.total_seconds() - 4
    await farm.clock.advance(2 * SECOND)

    picture = await pictures.find(device.device_id)
    assert picture is not None
    assert (picture.content, picture.content_type, picture.error_message) == (PNG + b"2", "image/png", None)
    assert picture.age_s == 2
    assert await farm.value("select count(*) from corral.device_pictures") == 1


async def test_a_failure_takes_the_place_of_the_picture(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    (device,) = await farm.engine.devices.list()
    await farm.engine.pictures.watch_device(device.device_id)
    await show(node, device.device_id)

    await farm.engine.pictures.store_picture(
        node.node_id, device.device_id, epoch=node.epoch, error_message="the screen is protected"
    )

    picture = await farm.engine.pictures.find(device.device_id)
    assert picture is not None
    assert (picture.content, picture.error_message) == (None, "the screen is protected")


async def test_what_nobody_looks_at_is_not_kept(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    (device,) = await farm.engine.devices.list()

    assert await show(node, device.device_id) == 0

    assert await farm.engine.pictures.find(device.device_id) is None


async def test_only_the_devices_node_shows_it_and_only_while_its_lease_is_live(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    other = await farm.given_node("node-2")
    (device,) = await farm.engine.devices.list()
    await farm.engine.pictures.watch_device(device.device_id, watch_time=timedelta(hours=1))

    with pytest.raises(NotFoundError):
        await show(other, device.device_id)
    reborn = await node.reboot()
    with pytest.raises(StaleEpochError):
        await show(node, device.device_id)
    assert await show(reborn, device.device_id) > 0
    await farm.clock.advance(LEASE_TIME + SECOND)
    with pytest.raises(StaleEpochError):
        await show(reborn, device.device_id)


async def test_a_contested_device_is_shown_by_nobody(farm: Farm) -> None:
    old = await farm.given_node("old", devices=["a"])
    await farm.given_run()
    await old.pull()
    await farm.given_node("new", devices=["a"])
    (device,) = await farm.engine.devices.list()
    await farm.engine.pictures.watch_device(device.device_id)

    assert await farm.engine.pictures.list_watches("old") == []
    assert await farm.engine.pictures.list_watches("new") == []
    with pytest.raises(NotFoundError):
        await show(old, device.device_id)


async def test_a_device_that_there_is_not_cannot_be_watched(farm: Farm) -> None:
    with pytest.raises(NotFoundError):
        await farm.engine.pictures.watch_device(uuid4())


async def test_pictures_are_forgotten_once_nobody_looks(farm: Farm) -> None:
    node = await farm.given_node(devices=2)
    devices = await farm.engine.devices.list()
    for device in devices:
        await farm.engine.pictures.watch_device(device.device_id)
        await show(node, device.device_id)
    await farm.pass_time(timedelta(minutes=2), node)
    await farm.engine.pictures.watch_device(devices[0].device_id)

    assert await farm.engine.upkeep.purge_pictures(timedelta(minutes=1)) == 1

    assert await farm.engine.pictures.find(devices[0].device_id) is not None
    assert await farm.engine.pictures.find(devices[1].device_id) is None
