"""The agent of the tests of features: writes the files of its component, as `deeds.json` says.

The file maps a component to what its first run does, and what those do that are told of a merge.
"""

import json
import os
import re
import sys
from pathlib import Path

prompt = sys.stdin.read()
deeds = json.loads(Path(__file__).with_name("deeds.json").read_text())
listed = re.search(r"Write only these files.*?:\n((?:- .*\n?)+)", prompt)
files = [line[2:].strip() for line in listed[1].splitlines()] if listed else []
name = next((it for it in ("items", "prices", "page") if f"{it} (P1-" in prompt), "")
tries = deeds.get(name, ["well"])
deed = tries[-1] if "could not be merged" in prompt else tries[0]
written = [*files, "src/shared.txt"] if deed == "conflict" else files
try:
    Path("interfaces/Item.pyi").write_text("class Other: ...\n")
    can = "can"
except OSError:
    can = "cannot"
again = " again" if "has to be looked at again" in prompt else ""
modified = [file for file in written if Path(file).exists()]
for file in written:
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text(f"{name} {can} write interfaces{again}\n")
for place, text in deed.items() if isinstance(deed, dict) else ():
    Path(place).write_text(text)
left = deeds.get("notes", {}).get(name, [])
answer = {
    "nonce": os.environ["SUPERVISOR_NONCE"],
    "status": "FAILED" if deed == "fail" else "SUCCESS",
    "summary": str(deed),
    "files_created": [file for file in written if file not in modified],
    "files_modified": modified,
    "tests_written": [],
    **({"notes": left} if left else {}),
}
if "NOTE" in prompt:
    Path(files[0]).write_text(f"{name} was told:\n{prompt[prompt.index('Notes of workers') :]}")
sys.stdout.write(f"```json\n{json.dumps(answer)}\n```\n")
