from importlib.metadata import version
from importlib.resources import files

import corral


def test_the_package_and_its_metadata_agree_on_the_version() -> None:
    assert version("corral") == corral.__version__


def test_the_package_tells_type_checkers_that_it_is_typed() -> None:
    assert files(corral).joinpath("py.typed").is_file()
