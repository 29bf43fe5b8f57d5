"""The command `rmashm` of gdb: what each rank of the job does and waits for, seen from one rank that gdb has stopped, or from its
core dump.

    gdb -x rmashm-gdb.py -p PID
    gdb -x rmashm-gdb.py ./program core

`rmashm` prints what `rmashm-top -once` does, `rmashm json` what `rmashm-top -json` does. It is rmashm-top that reads the job's memory:
the one that was installed with the library that the process has loaded, as only that knows what lies where.
"""

import os
import re
import shutil
import subprocess

import gdb

TOOL = "rmashm-top"
LIBRARIES = re.compile(r"lib(rmashm|mpi|mpich|mpi_abi)\.so[.0-9]*$")
# gdb forgets it when it has read this file.
HERE = os.path.dirname(os.path.realpath(__file__))


def tool():
    """The rmashm-top of the prefix that the library is in, else of this file's, else by PATH."""
    libraries = [os.path.realpath(file.filename) for file in gdb.objfiles() if LIBRARIES.search(file.filename or "")]
    for folder in [os.path.dirname(library) for library in libraries] + [HERE]:
        # The library is in lib or in a folder of it, this file in share/rmashm.
        for prefix in (os.path.dirname(folder), os.path.dirname(os.path.dirname(folder))):
            path = os.path.join(prefix, "bin", TOOL)
            if os.access(path, os.X_OK):
                return path
    path = shutil.which(TOOL)
    if path is None:
        raise gdb.GdbError(f"there is no {TOOL}, neither where the library is nor in PATH: it is installed with rmashm")
    return path


def core_dump():
    """The core dump that gdb looks at, if it does."""
    # gdb tells it to people alone, and quotes it in ways of its own.
    found = re.search(r"^Local core dump file:\n\s*[`'‘\"](.*)['’\"], file type", gdb.execute("info files", to_string=True), re.M)
    return found and found.group(1)


class Rmashm(gdb.Command):
    """What each rank of the job does and waits for, who holds locks, who has moved how much to whom.

rmashm prints it as text, rmashm json for programs. The job is that of the process or core dump that is being debugged."""

    def __init__(self):
        super().__init__("rmashm", gdb.COMMAND_STATUS)

    def complete(self, text, word):
        return ["json"] if "json".startswith(text) else []

    def invoke(self, argument, from_tty):
        if argument not in ("", "json"):
            raise gdb.GdbError(f"rmashm: {argument} is unknown: `rmashm` or `rmashm json`")
        look = ["-json" if argument else "-once"]
        inferior = gdb.selected_inferior()
        core = core_dump()
        if core:
            look += ["-core", core]
        elif not inferior.pid:
            raise gdb.GdbError("rmashm: there is no process and no core dump")
        elif inferior.connection and inferior.connection.type != "native":
            raise gdb.GdbError("rmashm: the process is elsewhere: run rmashm-top there")
        else:
            # What is stopped makes nothing between two looks.
            look += ["-delay", "0", str(inferior.pid)]
        seen = subprocess.run([tool(), *look], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if seen.returncode != 0:
            raise gdb.GdbError(seen.stderr.strip() or f"{TOOL} ended with status {seen.returncode}")
        gdb.write(seen.stdout)


Rmashm()
