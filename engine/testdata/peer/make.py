#!/usr/bin/env python3
"""Asks a running llama-server for the vectors in this folder.

usage: make.py http://127.0.0.1:PORT NAME > NAME.json

For each prompt: its token ids, the ten most likely next tokens with their
log-probabilities at each of up to 64 greedy steps, and the tokens chosen.
"""
import json
import sys
import urllib.request

PROMPTS = [
    "The train enters the tunnel at nine in the morning, and the passengers",
    "Minutes of the project meeting, 12 May 2026. Present: Anna, Ben, Chen. 1. Budget:",
    "会议纪要：今天下午三点，项目组在二号会议室讨论了发布计划。张伟首先",
    "def parse_duration(text):\n    \"\"\"Return the number of seconds in a string such as '1h30m'.\"\"\"\n",
    "Question: Which planet is the largest in the solar system, and how many moons does it have?\nAnswer:",
]


def post(base, path, body):
    req = urllib.request.Request(base + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(req) as r:
        return json.load(r)


def main():
    base, name = sys.argv[1], sys.argv[2]
    out = {"model": name, "cases": []}
    for text in PROMPTS:
        ids = post(base, "/tokenize", {"content": text, "add_special": False, "parse_special": False})["tokens"]
        r = post(base, "/completion", {
            "prompt": ids, "n_predict": 64, "temperature": 0, "n_probs": 10, "cache_prompt": False,
            "return_tokens": True, "seed": 1,
        })
        steps = [[[t["id"], round(t["logprob"], 5)] for t in s["top_logprobs"]] for s in r["completion_probabilities"]]
        # The server sends no probabilities for tokens that end inside a character: keep the steps before the first.
        n = 0
        while n < min(len(steps), len(r["tokens"])) and r["completion_probabilities"][n]["id"] == r["tokens"][n]:
            n += 1
        out["cases"].append({"prompt": text, "ids": ids, "greedy": r["tokens"][:n], "top": steps[:n]})
    json.dump(out, sys.stdout, ensure_ascii=False, separators=(",", ":"))
    print()


main()
