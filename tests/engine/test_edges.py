"""Corners that random histories led into."""

from tests.engine.farm import Farm


async def test_text_that_spells_out_a_nul_is_kept(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    said = 'C:\\u0000", "outcome": "x'

    (result,) = await node.send(node.event(grant, "log", lines=[{"message": said}, {"message": "a\x00b"}]))

    assert result.outcome == "applied"
    rows = await farm.engine.database.fetch("select message from corral.log_lines order by line_no")
    assert [row["message"] for row in rows] == [said, "ab"]


async def test_a_proof_of_death_proves_nothing_of_an_earlier_agent(farm: Farm) -> None:
    node, grant = await farm.given_leased_job()
    stranger = await node.reboot(keeps_state=False)

    await stranger.reboot(keeps_state=True)

    assert (await farm.job(grant)).status == "leased"
