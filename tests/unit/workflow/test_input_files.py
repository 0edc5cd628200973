"""Which input files a recipe names."""

from corral.workflow import list_input_files, parse_recipe


def test_files_that_are_named_literally_are_listed_with_their_path() -> None:
    recipe = parse_recipe(
        {
            "name": "install",
            "params": {"apk": {"type": "string"}},
            "steps": [
                {"id": "one", "uses": "app.install", "with": {"file": "app.apk"}},
                {"id": "two", "uses": "file.push", "with": {"file": "{{ params.apk }}", "path": "/sdcard/x"}},
                {"id": "three", "uses": "file.push", "with": {"file": "a" * 64, "path": "/sdcard/y"}},
                {"id": "four", "uses": "file.pull", "with": {"path": "/sdcard/file"}},
            ],
        }
    )

    assert list_input_files(recipe) == [("steps[0].with.file", "app.apk"), ("steps[2].with.file", "a" * 64)]
