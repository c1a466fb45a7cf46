#!/usr/bin/env python3
"""Makes small trees, each with one fault, and sees tools/check_layers refuse it for the right reason."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LAYERS = """
[folder.base]
uses = []
libraries = ["fmt"]
[folder.mdp]
uses = ["base"]
libraries = []
[folder.belief]
uses = ["mdp"]
[folder.app]
path = "app"
uses = ["*"]
libraries = ["POSIX"]
roots = ["app"]
[libraries]
"fmt" = ["fmt/*"]
"HDF5" = ["hdf5.h", "H5*.h"]
"POSIX" = ["sys/mman.h"]
[standard]
headers = ["vector", "cmath"]
"""

GOOD = {
    "tools/layers.toml": LAYERS,
    "src/mindgap/base/CMakeLists.txt": "mindgap_library(base SOURCES error.cpp)",
    "src/mindgap/base/error.h": "#pragma once\n#include <vector>\n",
    "src/mindgap/base/error.cpp": '#include "mindgap/base/error.h"\n#include <fmt/format.h>\n',
    "src/mindgap/mdp/CMakeLists.txt": "mindgap_library(mdp\n  SOURCES\n    mdp.cpp)",
    "src/mindgap/mdp/mdp.h": '#pragma once\n#include "mindgap/base/error.h"\n',
    "src/mindgap/mdp/mdp.cpp": '#include "mindgap/mdp/mdp.h"\n',
    "app/CMakeLists.txt": "mindgap_program(mindgap_app SOURCES main.cpp)",
    "app/main.cpp": '#include <sys/mman.h>\n#include "command.h"\n#include "mindgap/mdp/mdp.h"\n',
    "app/command.h": "#pragma once\n",
}


def check(tree: dict[str, str]) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            file = Path(folder) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return run(folder)


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, ROOT / "tools/check_layers", *arguments], capture_output=True, text=True)


class CheckLayers(unittest.TestCase):
    def assert_refused(self, changes: dict[str, str], *messages: str):
        result = check(GOOD | changes)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        for message in messages:
            self.assertIn(message, result.stderr)

    def assert_accepted(self, changes: dict[str, str]):
        result = check(GOOD | changes)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_this_repository_passes(self):
        result = run()
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_good_tree_passes(self):
        self.assert_accepted({})

    def test_what_a_used_folder_may_use_is_allowed(self):
        self.assert_accepted({"src/mindgap/belief/prior.h": '#include "mindgap/base/error.h"\n'})

    def test_a_folder_that_is_kept_out_by_name(self):
        layers = LAYERS.replace('uses = ["mdp"]', 'uses = ["mdp"]\nnever = ["base"]')
        self.assert_refused({"tools/layers.toml": layers,
                             "src/mindgap/belief/prior.h": '#include "mindgap/base/error.h"\n'},
                            "is in base, which belief may not use; it may use: mdp")
        self.assert_refused({"tools/layers.toml": layers.replace('never = ["base"]', 'never = ["bas"]')}, "names 'bas'")

    def test_headers_that_a_folder_may_name_itself(self):
        layers = LAYERS.replace('path = "app"\nuses = ["*"]', 'path = "app"\nuses = ["*"]\ndirect = ["mindgap/base/*", "public"]')
        root = '[folder.mindgap]\npath = "src/mindgap"\nuses = ["mdp"]\n'
        tree = {
            "tools/layers.toml": root + layers,
            "src/mindgap/mindgap.h": '#pragma once\n#include "mindgap/mdp/mdp.h"\n',
            "src/mindgap/mdp/kernel.h": "#pragma once\n",
        }
        self.assert_accepted(tree)  # app/main.cpp names mdp.h, which mindgap.h offers
        self.assert_refused(
            tree | {"app/command.h": '#pragma once\n#include "mindgap/mdp/kernel.h"\n'},
            "app/command.h:2: 'mindgap/mdp/kernel.h' is none of those that app may name itself",
        )
        self.assert_refused(
            tree | {"src/mindgap/mindgap.h": "#pragma once\n"},
            "app/main.cpp:3: 'mindgap/mdp/mdp.h' is none of those that app may name itself",
        )

    def test_upward_include(self):
        self.assert_refused({"src/mindgap/base/error.h": '#pragma once\n\n#include "mindgap/mdp/names.h"\n',
                             "src/mindgap/mdp/names.h": ""},
                            "src/mindgap/base/error.h:3: 'mindgap/mdp/names.h' is in mdp, which base may not use; "
                            "it may use: nothing")

    def test_a_library_of_another_folder(self):
        self.assert_refused({"src/mindgap/mdp/mdp.h": "#include <fmt/format.h>\n"},
                            "src/mindgap/mdp/mdp.h:1: 'fmt/format.h' is fmt's, which mdp may not include; "
                            "allowed libraries: nothing")
        self.assert_refused({"src/mindgap/base/error.h": "#include <H5public.h>\n"}, "is HDF5's", "allowed libraries: fmt")

    def test_posix_where_it_is_not_allowed(self):
        self.assert_refused({"src/mindgap/mdp/mdp.cpp": "#include <sys/mman.h>\n"}, "mdp.cpp:1: 'sys/mman.h' is POSIX's")

    def test_unknown_include(self):
        self.assert_refused({"src/mindgap/mdp/mdp.cpp": "#include <zlib.h>\n"}, "mdp.cpp:1: unknown include 'zlib.h'")
        self.assert_refused({"src/mindgap/mdp/mdp.cpp": "#include <map>\n"}, "unknown include 'map'")

    def test_file_that_does_not_exist(self):
        self.assert_refused({"app/main.cpp": '#include "mindgap/mdp/solve.h"\n'}, "'mindgap/mdp/solve.h' does not exist")

    def test_relative_include(self):
        self.assert_refused({"src/mindgap/mdp/mdp.h": '#include "../base/error.h"\n'},
                            "mdp.h:1: relative include '../base/error.h'")
        self.assert_refused({"src/mindgap/mdp/mdp.cpp": '#include "./mdp.h"\n'}, "relative include './mdp.h'")
        self.assert_refused({"src/mindgap/mdp/mdp.cpp": '#include "mdp.h"\n'}, "unknown include 'mdp.h'")

    def test_computed_include(self):
        self.assert_refused({"src/mindgap/mdp/mdp.cpp": "#include HEADER\n"}, "mdp.cpp:1: cannot follow 'HEADER'")

    def test_cycle_between_headers(self):
        self.assert_refused({"src/mindgap/mdp/a.h": '#include "mindgap/mdp/b.h"\n',
                             "src/mindgap/mdp/b.h": '#include "mindgap/mdp/a.h"\n'},
                            "src/mindgap/mdp/a.h -> src/mindgap/mdp/b.h -> src/mindgap/mdp/a.h")

    def test_cycle_between_folders(self):
        self.assert_refused({"src/mindgap/base/check.h": '#include "mindgap/mdp/mdp.h"\n'},
                            "folders include each other in a cycle: base -> mdp -> base")

    def test_cycle_in_the_allow_list(self):
        self.assert_refused({"tools/layers.toml": LAYERS.replace("uses = []", 'uses = ["belief"]')},
                            "folders use each other in a cycle: base -> belief -> mdp -> base")

    def test_folder_without_entry(self):
        self.assert_refused({"src/mindgap/utils/helper.h": ""}, "src/mindgap/utils: the folder has no entry",
                            "[folder.utils]")

    def test_source_outside_of_the_folders(self):
        self.assert_refused({"src/mindgap/all.h": ""}, "src/mindgap/all.h: belongs to no folder")

    def test_source_that_is_not_listed(self):
        self.assert_refused({"src/mindgap/mdp/solve.cpp": ""}, "src/mindgap/mdp/solve.cpp: not listed in "
                            "src/mindgap/mdp/CMakeLists.txt")
        self.assert_refused({"src/mindgap/mdp/CMakeLists.txt": "mindgap_library(mdp SOURCES # mdp.cpp\n)"},
                            "mdp.cpp: not listed")

    def test_sources_named_after_a_command(self):
        tree = {
            "src/mindgap/command/commands.h": '#include "mindgap/command/check.h"\n',
            "src/mindgap/command/check.h": "",
            "tools/layers.toml": LAYERS.replace("[libraries]", '[folder.command]\nuses = ["mdp"]\n[libraries]'),
            "app/CMakeLists.txt": "mindgap_command_sources(all)\nmindgap_program(mindgap_app SOURCES ${all} main.cpp)",
        }
        self.assert_accepted(tree | {"app/check.cpp": ""})
        self.assert_refused(tree | {"app/chek.cpp": ""}, "app/chek.cpp: not listed")
        tree["app/CMakeLists.txt"] = tree["app/CMakeLists.txt"].replace("(all)", "(all bind_)")
        self.assert_accepted(tree | {"app/bind_check.cpp": ""})
        self.assert_refused(tree | {"app/check.cpp": ""}, "app/check.cpp: not listed")

    def test_mistakes_in_the_allow_list(self):
        self.assert_refused({"tools/layers.toml": LAYERS.replace('uses = ["base"]', 'uses = ["bas"]')}, "names 'bas'")
        self.assert_refused({"tools/layers.toml": LAYERS.replace('["POSIX"]', '["POSX"]')}, "library 'POSX'")
        self.assert_refused({"tools/layers.toml": LAYERS.replace("roots =", "root =")}, "unknown key 'root'")

    def test_comments_are_not_includes_and_hide_none(self):
        self.assert_accepted({"src/mindgap/mdp/mdp.cpp": '// #include <zlib.h>\n/*\n#include <zlib.h>\n*/\n'})
        self.assert_refused({"src/mindgap/mdp/mdp.cpp": "// src/*.cpp\n#include <zlib.h>\n// */\n"}, "mdp.cpp:2: unknown")
        self.assert_refused({"src/mindgap/mdp/mdp.cpp": "/* a\n b */\n # include <zlib.h> // c\n"}, "mdp.cpp:3: unknown")


if __name__ == "__main__":
    unittest.main()
