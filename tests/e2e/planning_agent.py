"""The agent of the tests of plans: a planner, and a tech lead who errs once where told to."""

import json
import os
import sys
from pathlib import Path

prompt = sys.stdin.read()
phases = [{"id": "core", "title": "The core"}, {"id": "face", "title": "The face"}]
page = {"id": "page", "title": "The page", "files": ["src/page.py"], "depends_on": ["core.items"]}
core = [
    {"id": "items", "title": "Items", "files": ["src/items.py"]},
    {"id": "prices", "title": "Prices", "files": ["src/prices.py"], "depends_on": ["items"]},
]
if Path("tools/errs.txt").exists() and "did not accept the work" not in prompt:
    page["depends_on"] = ["core.itemz"]
    core[0]["depends_on"] = ["prices"]
interfaces = [{"name": "Item", "type": "python_stub", "definition": "class Item: ...\n"}]
contents = [
    {"phase": "core", "components": core, "interfaces": interfaces},
    {"phase": "face", "components": [page]},
]
answer = {
    "nonce": os.environ["SUPERVISOR_NONCE"],
    "status": "PLANNED",
    "summary": "planned",
    "phases": phases if "step `phases`" in prompt.split("## Task")[0] else contents,
}
sys.stdout.write(f"```json\n{json.dumps(answer)}\n```\n")
