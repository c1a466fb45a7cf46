"""Every option of a command is an argument of the function of that name, with the same default, and the other
way round: what a command can be asked is written twice, and this test holds the two together."""

import inspect
import re

import pytest

import mindgap
from program import run

# Of the command line alone: how its output looks and where it goes. In Python the answer has methods for that.
OUTPUT = {"help", "format", "quiet", "out", "report"}
# Of reading a model, which is a function of its own in Python (read_model).
READING = {"allow-outside"}
# Written differently on purpose: a flag that is off there is a word, or the opposite, here.
RENAMED = {"allow-new-states": "states", "no-credit": "credit"}
DEFAULTS = {"states": "known", "credit": True}
# Of Python alone: arrays and callables, which no command line can give.
PYTHON_ONLY = {"self", "progress"}

COMMANDS = {
    ("decide",): (mindgap.decide, {"model"}),
    ("design",): (mindgap.design, {"model"}),
    ("diagnose",): (mindgap.diagnose, {"model"}),
    # Nothing is drawn in solving: its seed is there because every command has one. Policies for all members of an
    # ensemble are methods of mindgap.Ensemble.
    ("solve",): (mindgap.solve, {"model", "max_iterations", "initial_value", "-seed", "-policy"}),
    ("check",): (mindgap.check, {"model"}),
    ("study", "init"): (mindgap.Study.init, {"folder", "decision"}),
}


def options_of(words):
    """Name and default, or None, of each option in the help of a command."""
    said = run(*words, "--help")
    assert said.returncode == 0, said.stderr
    found = {}
    for line in said.stdout.splitlines():
        option = re.match(r"  (?:-\w,)?--([a-z-]+)(?: (.*))?$", line)
        if not option:
            continue
        declared = re.split(r"  |(?: Needs| Excludes|  *REQUIRED)", option[2] or "")[0]
        default = re.search(r"=([^\s=]+)$", declared)
        found[option[1]] = default[1] if default else None
    return found


def same(default, shown):
    """Whether a default of Python's is what the help shows; no default there is None, False or 0 = "as it
    sees fit"."""
    if shown is None:
        return default in (inspect.Parameter.empty, None, False, 0)
    if isinstance(default, (int, float)):
        return float(shown) == default
    return shown == ("0" if default is None else default)


@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_and_its_function_take_the_same(words):
    function, own = COMMANDS[words]
    arguments = inspect.signature(function).parameters
    options = options_of(words)
    assert len(options) > 4, options  # or the help is not read as it is written
    left = set(arguments) - own - PYTHON_ONLY
    for option, shown in options.items():
        if option in OUTPUT | READING or "-" + option in own:
            continue
        name = RENAMED.get(option, option.replace("-", "_"))
        assert name in arguments, f"--{option} of {words} is no argument of the function"
        left.discard(name)
        default = arguments[name].default
        if name in DEFAULTS:
            assert (default, shown) == (DEFAULTS[name], None)
        else:
            assert same(default, shown), f"{name} of {words}: {default} here, {shown} on the command line"
    assert not left, f"arguments without an option: {left}"


def test_help_is_plain_text():
    for words in COMMANDS:
        said = run(*words, "--help").stdout
        assert [character for character in said if not (character.isprintable() or character == "\n")] == []
