"""Every option of a command is an argument of the function of that name, with the same default, and the other
way round: what a command can be asked is written twice, and this test holds the two together."""

import inspect
import re

import pytest

import mindgap
from mindgap import _core, _options
from program import ROOT, VANS, run

# Of the command line alone: how its output looks and where it goes. In Python the answer has methods for that.
OUTPUT = {"help", "format", "quiet", "out", "report", "draws", "classes"}
# Of reading a model, which is a function of its own in Python (read_model).
READING = {"allow-outside"}
# Written differently on purpose: a flag that is off there is a word, or the opposite, here.
RENAMED = {"allow-new-states": "states", "no-credit": "credit"}
DEFAULTS = {"states": "known", "credit": True, "shard": (1, 1)}
# Of Python alone: arrays and callables, which no command line can give. An executor is what --shard is there.
PYTHON_ONLY = {"self", "progress", "executor"}

# A minus: of the command line alone. Every command has a seed and threads there, whether it draws or not; the seed
# of a study is that of its beginning.
NOT_DRAWN = {"-seed", "-threads"}
# Of the program alone: the Python package has no server.
SERVER = [("study", "serve"), ("study", "user")]
COMMANDS = {
    ("decide",): (mindgap.decide, {"model", "-shard"}),
    ("design",): (mindgap.design, {"model"}),
    ("diagnose",): (mindgap.diagnose, {"model", "-shard"}),
    # Nothing is drawn in solving: its seed is there because every command has one. Policies for all members of an
    # ensemble are methods of mindgap.Ensemble.
    ("solve",): (mindgap.solve, {"model", "max_iterations", "initial_value", "-seed", "-policy"}),
    ("check",): (mindgap.check, {"model"}),
    ("compare",): (mindgap.compare, {"case", "world", "oracle", "-list"}),
    ("merge",): (mindgap.merge, {"folders", *NOT_DRAWN}),
    ("reproduce",): (mindgap.reproduce, {"name", "-list", "-shard"}),
    ("convert",): (mindgap.write_model, {"model", "path", *NOT_DRAWN}),
    ("voi",): (mindgap.voi, {"frame", "-shard"}),
    ("stateless",): (mindgap.stateless, NOT_DRAWN),
    ("study", "init"): (mindgap.Study.init, {"folder", "decision"}),
    # The key that signs is one of the study in Python: Study(folder, key=...).
    ("study", "assign"): (mindgap.Study.assign, {"-seed", "-key"}),
    ("study", "add-units"): (mindgap.Study.add_units, {"units", "-key", *NOT_DRAWN}),
    ("study", "record"): (mindgap.Study.record, {"results", "-key", *NOT_DRAWN}),
    # Python sends nothing to a server: it opens the study itself.
    ("study", "import"): (mindgap.Study.import_results, {"results", "-key", "-to", "-token-file", *NOT_DRAWN}),
    ("study", "redesign"): (mindgap.Study.redesign, {"-seed", "-key"}),
    ("study", "stop"): (mindgap.Study.stop, {"-key", *NOT_DRAWN}),
    ("study", "status"): (mindgap.Study.status, NOT_DRAWN),
    ("study", "export"): (mindgap.Study.export, {"folder", *NOT_DRAWN}),
    ("study", "report"): (mindgap.Study.report, {"path", *NOT_DRAWN}),
    ("study", "verify"): (mindgap.Study.verify, {"-seed", "-key", "keys"}),
    ("study", "anchor"): (mindgap.Study.anchor, NOT_DRAWN),
    ("study", "key", "new"): (mindgap.Study.new_key, {"file", *NOT_DRAWN}),
}


def options_of(words):
    """Name and default, or None, of each option in the help of a command."""
    found = {}
    for more in [[], *([case.name] for case in mindgap.cases()), ["a-world"]] if words == ("compare",) else [[]]:
        said = run(*words, *more, "--help", COLUMNS="100000")  # an option is one line
        assert said.returncode == 0, said.stderr
        for line in said.stdout.splitlines():
            option = re.match(r"  (?:-\w, )?--([a-z-]+)(?: \S+)?  +(.*)$", line)
            if option:
                default = re.search(r"\[default: (.*?)\]", option[2])
                found.setdefault(option[1], default[1] if default else None)
    return found


def all_commands():
    """The words of every command, by what the program says there are."""
    found = []
    groups = [(), ("study",), ("study", "key")]
    for words in groups:
        said = run(*words, "--help").stdout.split("Commands:")[1]
        found += [(*words, name) for name in re.findall(r"^  ([a-z-]+) ", said, re.MULTILINE)]
    about_itself = [("help",), ("completion",)]
    return [words for words in found if words not in groups + about_itself + SERVER]


def test_every_command_is_held_against_its_function():
    assert sorted(all_commands()) == sorted(COMMANDS)


def test_the_documentation_names_only_options_that_there_are():
    known = {"help", "version", "build", "preset", "gtest_filter", "upgrade", "editable", "array"}  # of ours, and of other tools
    known |= {"oversubscribe", "allow-run-as-root", "now", "system", "shell", "home-dir"}  # mpiexec, systemctl, useradd
    users = [("study", "user", verb) for verb in ("add", "list", "remove", "passwd", "token")]
    for words in [*all_commands(), ("study", "serve"), *users]:
        known |= set(options_of(words))
    for file in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for option in re.findall(r"(?<![\w-])--([a-z][a-z_-]+)", file.read_text()):
            assert option in known, f"{file.relative_to(ROOT)} names --{option}, which no command has"


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
    if words == ("compare",):  # those of the cases are keywords of any name
        left.discard("options")
        of_cases = {option.name for case in mindgap.cases() for option in case.options}
        of_worlds = {"reward_sd", "transition_strength", "unseen"}
        own = own | {"-" + name.replace("_", "-") for name in of_cases | of_worlds}
        assert {name for name in own if name.startswith("-")} <= {"-" + option for option in options}
    for option, shown in options.items():
        name = RENAMED.get(option, option.replace("-", "_"))
        if "-" + option in own or option in READING or (option in OUTPUT and name not in arguments):
            continue
        assert name in arguments, f"--{option} of {words} is no argument of the function"
        left.discard(name)
        default = arguments[name].default
        if name in DEFAULTS:
            assert (default, shown) == (DEFAULTS[name], None)
        else:
            assert same(default, shown), f"{name} of {words}: {default} here, {shown} on the command line"
    assert not left, f"arguments without an option: {left}"


def test_options_that_several_functions_take_are_those_of_the_library():
    """Python gives each its type; name, meaning and order are the library's."""
    told = {"limits": _core.limit_options(), "prior": _core.prior_options()}
    assert list(_options.LimitOptions.__annotations__) == [name for name, *_ in told["limits"]]
    assert list(_options.PriorOptions.__annotations__) == [name for name, *_ in told["prior"]]
    terms = _core.terms_options()
    assert list(_options.TermsOptions.__annotations__) == [name for name, *_ in terms]
    for name, kind, said, _ in terms:
        assert f":param {name}: " in mindgap.decide.__doc__ and said
    types = {"shares": "Mapping[str, float] | None", "table": "TableLike | None", "number": "float | None"}
    for name, kind, said, _ in [*told["limits"], *told["prior"]]:
        hint = _options.PilotOptions.__annotations__[name]
        assert hint.__forward_arg__ == types.get(kind, "str | None"), name
        for function in (mindgap.decide, mindgap.design, mindgap.Study.init):
            assert f":param {name}: " in function.__doc__
        assert said


def test_what_is_no_option_is_refused_as_python_does():
    with pytest.raises(TypeError, match=r"^design\(\) got an unexpected keyword argument 'min_shares'"):
        mindgap.design(VANS, units=2, steps=3, min_shares={"B": 0.5})
    with pytest.raises(TypeError, match=r"^diagnose\(\) got an unexpected keyword argument 'max_loss'"):
        mindgap.diagnose(VANS, max_loss=1)


def test_help_is_plain_text():
    for words in COMMANDS:
        said = run(*words, "--help").stdout
        assert [character for character in said if not (character.isprintable() or character == "\n")] == []
