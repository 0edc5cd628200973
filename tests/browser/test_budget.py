"""How much a browser has to load."""

from corral.api.pages import load_pages

MOST_BYTES = 350_000


def test_all_scripts_together_stay_within_their_budget() -> None:
    sizes = {
        path: len(page.bodies.get("gzip", page.bodies[""]))
        for path, page in load_pages().items()
        if path.endswith(".js")
    }

    assert sizes, "the UI is not built: make ui"
    assert sum(sizes.values()) < MOST_BYTES


def test_pages_are_scripts_of_their_own() -> None:
    names = {path.rpartition("/")[2].partition("-")[0] for path in load_pages() if path.endswith(".js")}

    assert {"Content", "Contents", "Dashboard", "Devices", "Monitor", "NewRun", "Onboarding", "Runs"} <= names
    assert {"Builder", "CommandEditor", "Commands", "Playbooks"} <= names
