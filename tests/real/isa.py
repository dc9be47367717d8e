"""The distinct texts of the instructions that `pipeglass stalls --json` lists, a line each."""
import json
import sys

texts = {pc["text"] for pc in json.load(sys.stdin)["pcs"]}
for text in sorted(t for t in texts if t and not t.startswith("<invalid inst")):
    print(text)
