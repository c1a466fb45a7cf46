"""The units of examples/server are read by systemd itself, where it is there."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "server"
UNITS = ["mindgap-study.service", "mindgap-backup.service", "mindgap-backup.timer"]


def main() -> int:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        print("systemd-analyze is not there: skipped")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for unit in UNITS:
            text = (EXAMPLES / unit).read_text()
            # The program need not be installed for its unit to be read.
            for program in ("/usr/local/bin/mindgap-backup", "/usr/local/bin/mindgap"):
                text = text.replace(f"ExecStart={program} ", "ExecStart=/bin/true ")
            pathlib.Path(folder, unit).write_text(text)
        done = subprocess.run([analyze, "verify", *[f"./{unit}" for unit in UNITS]], cwd=folder,
                              capture_output=True, text=True, timeout=60)
    print(done.stderr, end="")
    return 1 if done.returncode or any(unit in done.stderr for unit in UNITS) else 0


if __name__ == "__main__":
    sys.exit(main())
