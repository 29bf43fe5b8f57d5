"""The licences of the crates that are linked into what is shipped."""

import json
import re
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


def crates():
    """The crates of others that are linked into what is shipped."""
    command = ["cargo", "metadata", "--format-version=1", "--locked", "--filter-platform=x86_64-unknown-linux-gnu"]
    told = json.loads(subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in told["packages"]}
    nodes = {node["id"]: node for node in told["resolve"]["nodes"]}
    shipped = {"rmashm", "rmashm-fortran", "rmashm-programs", "rmashm-top"}
    ahead = [id for id, package in packages.items() if package["source"] is None and package["name"] in shipped]
    found = set()
    while ahead:
        id = ahead.pop()
        if id not in found:
            found.add(id)
            # No kind: neither for build scripts nor for tests.
            ahead += [dep["pkg"] for dep in nodes[id]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
    foreign = [packages[id] for id in found if packages[id]["source"]]
    return sorted(foreign, key=lambda package: (package["name"], package["version"]))


def files(package):
    """The licence files of a crate; stops where it has none."""
    root = Path(package["manifest_path"]).parent
    found = [file for file in root.iterdir() if re.match(r"(?i)licen[cs]e|copying|notice|unlicense", file.name)]
    if not found:
        raise SystemExit(f"{package['name']} {package['version']} comes without a licence file")
    return sorted(found)


def of_the_standard_library():
    """The file with the licences of Rust's standard library, which is linked into everything."""
    command = ["rustc", "--print", "sysroot"]
    sysroot = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    return Path(sysroot) / "share/doc/rust/COPYRIGHT-library.html"
