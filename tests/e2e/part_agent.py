"""The agent of the tests with other people's projects: copies the files that it is asked for."""

import json
import os
import re
import shutil
import sys
from pathlib import Path

prompt = sys.stdin.read()
listed = re.search(r"Write only these files.*?:\n((?:- .*\n?)+)", prompt)
files = [line[2:].strip() for line in listed[1].splitlines()] if listed else []
whole = Path(__file__).with_name("whole")
for file in files:
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(whole / file, file)
answer = {
    "nonce": os.environ["SUPERVISOR_NONCE"],
    "status": "SUCCESS",
    "summary": "copied",
    "files_created": files,
    "files_modified": [],
    "tests_written": [],
}
sys.stdout.write(f"```json\n{json.dumps(answer)}\n```\n")
