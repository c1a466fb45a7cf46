"""What tests of several files use."""

import pytest

from mindgap import _core


@pytest.fixture
def like_the_command_line():
    """Messages name options as the command line does, to be compared with it word for word."""
    _core.speak_like_the_command_line(True)
    yield
    _core.speak_like_the_command_line(False)


@pytest.fixture
def every_report():
    """However fast the machine is, progress is told at every step."""
    _core.pause_between_reports(0)
    yield
    _core.pause_between_reports(50)
