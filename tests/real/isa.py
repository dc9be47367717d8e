"""The distinct texts of the rows that `pipeglass rows --json` writes, a line each."""
import json
import sys

texts = {row["text"] for row in json.load(sys.stdin)["rows"]}
for text in sorted(t for t in texts if t and not t.startswith("<invalid inst")):
    print(text)
