"""Self test of score.py: `python3 score.py --selftest`.

Small runs with a known result, then runs made from the keys of the sample folders, whole and
damaged. Each damage has to show in the figure it belongs to, and in no other way pass.
"""

import copy
import os

MINI_TEXTS = {
    "a.srt": "1\n00:00:01,000 --> 00:00:02,000\n甲：报表我周五交，\n\n2\n00:00:02,000 --> 00:00:03,000\n甲：不对，改成周四。\n\n"
             "3\n00:00:03,000 --> 00:00:04,000\n乙：你干脆把打印机吃了吧。\n\n4\n00:00:04,000 --> 00:00:05,000\n乙：合同谁看再说，月底前看完。\n",
    "b.txt": "题目\n甲 00:00:01\n先用蓝色。\n乙 00:00:09\n蓝色作废，改用红色。要是红色缺货，就晚一周。\n",
}
MINI_KEY = {"files": [], "facts": [
    {"id": "T1", "kind": "todo", "file": "a.srt", "quote": "不对，改成周四", "also": ["报表我周五交"], "text": "交报表",
     "owner": "甲", "due_date": "2026-05-14", "keywords": ["报表", ["交", "提交"]]},
    {"id": "T2", "kind": "todo", "file": "a.srt", "quote": "合同谁看再说，月底前看完", "text": "看合同",
     "owner": None, "due_date": "2026-05-31", "keywords": ["合同"]},
    {"id": "N1", "kind": "not_todo", "file": "a.srt", "quote": "把打印机吃了吧", "text": "玩笑"},
    {"id": "D1", "kind": "decision", "file": "b.txt", "quote": "先用蓝色", "superseded_by": "D2", "text": "蓝", "keywords": ["蓝色"]},
    {"id": "D2", "kind": "decision", "file": "b.txt", "quote": "蓝色作废，改用红色", "text": "红", "replaces": "D1", "keywords": ["红色"]},
    {"id": "R1", "kind": "risk", "file": "b.txt", "quote": "要是红色缺货，就晚一周", "text": "缺货", "keywords": ["缺货", "晚"]},
]}


def item(id, quote, source=0, state="checked", speaker=None, **fields):
    evidence = [{"source": source, "quote": quote, "speaker": speaker}] if quote else []
    return {"id": id, "fields": fields, "evidence": evidence, "state": state}


def mini_run():
    return {"sources": [{"file": "x/a.srt"}, {"file": "x/b.txt"}], "todos": [
        item("t1", "报表我周五交，不对，改成周四。", speaker="甲", action="交报表", owner="甲", due_date="2026-05-14"),
        item("t2", None, action="看合同", owner="丙", due_date="2026-06-01", state="unconfirmed"),
        item("t3", "你干脆把打印机吃了吧。", action="处理打印机", owner=None, due_date=None),
        item("t4", "报表我周五交", action="周五", owner="甲", due_date="2026-05-15"),
    ], "decisions": [
        item("d1", "先用蓝色。", 1, text="用蓝色", replaces=None), item("d2", "改用红色。", 1, text="用红色", replaces=None),
    ], "risks": [item("r1", "没有这句话", 1, text="缺货", trigger="缺货", consequence="晚一周")]}


def check_rules(sc, c):
    """The parts of the rule that a whole run seldom shows."""
    c.equal([sc.contains(t, ["报表", ["交", "提交"]]) for t in ("提交报表", "看报表", "交货", "")], [True, False, False, False], "keywords")
    text = sc.speech("c.md", "小明：第一件我做，第二件也归我。\n")
    first = {"id": "A", "kind": "todo", "file": "c.md", "quote": "第一件我做", "text": "1"}
    second = {"id": "B", "kind": "todo", "file": "c.md", "quote": "第二件也归我", "text": "2"}
    run = {"sources": [{"file": "c.md"}], "todos": [
        item("both", "第一件我做，第二件也归我。", action="-", owner="王小明", speaker="小明"), item("one", "第一件我做", action="-")]}
    r = sc.score(run, {"facts": [first, second]}, {"c.md": text})["all"]
    c.equal((r["todos"]["found"], r["todos"]["right"]), (2, 2), "an item moves to let another match")
    c.equal(r["owners"]["not_in_evidence"], 0, "the given name is enough evidence")
    said = {"fields": {"owner": "贺东明"}, "evidence": [{"quote": "贺总二十六号去集团提。"}]}
    c.equal(sc.owner_in_evidence(said), True, "a surname with a title is enough evidence")
    said["evidence"] = [{"quote": "郑总二十六号去集团提，向贺师傅学。", "speaker": "沈若兰"}]
    said["fields"]["owner"] = "何东明"
    c.equal(sc.owner_in_evidence(said), False, "another surname is not")
    second["optional"] = True
    del run["todos"][0]
    run["todos"].append(item("may", "第二件也归我", action="-"))
    r = sc.score(run, {"facts": [first, second]}, {"c.md": text})["all"]["todos"]
    c.equal((r["found"], r["facts"], r["right"], r["optional"], r["precision"]), (1, 1, 1, 1, 1.0), "an optional fact is neutral")
    short = [sc.share((0, 10), place) for place in ((5, 15), (6, 16), (10, 12), (2, 4))]
    c.equal(short, [True, False, False, True], "half of the shorter span")


class Checks:
    def __init__(self):
        self.failed = 0
        self.done = 0

    def equal(self, got, want, what):
        self.done += 1
        if got != want:
            self.failed += 1
            print(f"selftest: {what}: got {got!r}, want {want!r}")


def check_mini(sc, c):
    texts = {name: sc.speech(name, text) for name, text in MINI_TEXTS.items()}
    r = sc.score(mini_run(), MINI_KEY, texts)["all"]
    t = r["todos"]
    c.equal((t["found"], t["right"], t["items"], t["second_items"], t["unconfirmed"]), (2, 2, 4, 1, 1), "mini todos")
    c.equal((r["owners"]["right"], r["owners"]["given_in_key"], r["owners"]["wrong_owners"]), (1, 1, 1), "mini owners")
    c.equal(r["owners"]["not_in_evidence"], 2, "mini owners outside their evidence")
    c.equal((r["due_dates"]["right"], r["due_dates"]["given_in_key"]), (1, 2), "mini dates")
    c.equal(r["not_todos"]["taken"], 1, "mini traps")
    d = r["decisions"]
    c.equal((d["found"], d["right"], d["superseded_as_current"]), (1, 1, 1), "mini decisions")
    c.equal(r["risks"]["found"], 1, "mini risks")
    c.equal(sc.score(mini_run(), MINI_KEY, texts)["checked"]["todos"]["found"], 1, "mini checked todos")
    told = mini_run()
    told["decisions"][1]["fields"]["replaces"] = "d1"
    c.equal(sc.score(told, MINI_KEY, texts)["all"]["decisions"]["right"], 2, "mini replaced decision")
    less = mini_run()
    less["sources"] = less["sources"][:1]
    c.equal(sc.score(less, MINI_KEY, texts)["all"]["decisions"]["facts"], 0, "facts of files not read")


def ideal(key, evidence=True, words=True):
    """A run that says what the key says, and nothing else."""
    files = [f["file"] for f in key["files"]]
    run = {"sources": [{"file": "some/folder/" + f} for f in files], "todos": [], "decisions": [], "risks": [], "summary": []}
    for f in key["facts"]:
        if f.get("optional") or f.get("superseded_by") or f["kind"] not in ("todo", "decision", "risk"):
            continue
        fields = {name: f.get(name) for name in ("action", "text", "trigger", "consequence", "owner", "due_date")}
        if not words:
            fields.update({name: "-" for name in ("action", "text", "trigger", "consequence")})
        quote = f["quote"] if evidence else None
        list_name = {"todo": "todos", "decision": "decisions", "risk": "risks"}[f["kind"]]
        run[list_name].append(item(f["id"], quote, files.index(f["file"]), speaker=f.get("owner"), **fields))
    return run


def check_folder(sc, c, path):
    key = sc.load(path)
    texts = sc.load_texts(path, key)
    name = os.path.basename(os.path.dirname(path))
    raw = {}
    for entry in key["files"]:
        with open(os.path.join(os.path.dirname(path), entry["file"]), encoding="utf-8") as file:
            raw[entry["file"]] = file.read()
        c.equal(len(raw[entry["file"]]), entry["chars"], f"{name} {entry['file']}: characters")
    for f in key["facts"]:
        c.equal(raw[f["file"]].count(f["quote"]), 1, f"{name} {f['id']}: its quote, byte for byte")
        c.equal(len(sc.spans(texts[f["file"]], f["quote"])), 1, f"{name} {f['id']}: its quote in the speech")
    full = sc.score(ideal(key), key, texts)["all"]
    for part in ("todos", "decisions", "risks"):
        c.equal((full[part]["recall"], full[part]["precision"]), (1.0, 1.0), f"{name} {part}, ideal run")
        seen = sc.score(ideal(key, words=False), key, texts)["all"][part]
        c.equal((seen["recall"], seen["precision"]), (1.0, 1.0), f"{name} {part}, evidence alone")
    said = sc.score(ideal(key, evidence=False), key, texts)["all"]
    c.equal((said["todos"]["recall"], said["decisions"]["recall"]), (1.0, 1.0), f"{name}, keywords alone")
    none = sc.score(ideal(key, evidence=False, words=False), key, texts)["all"]
    c.equal([none[p]["found"] for p in ("todos", "decisions", "risks")], [0, 0, 0], f"{name}, neither")
    c.equal((full["owners"]["accuracy"], full["owners"]["wrong_owners"]), (1.0, 0), f"{name} owners, ideal run")
    c.equal((full["due_dates"]["accuracy"], full["due_dates"]["invented"]), (1.0, 0), f"{name} dates, ideal run")
    c.equal((full["not_todos"]["taken"], full["owners"]["not_in_evidence"]), (0, 0), f"{name} traps, ideal run")
    check_damage(sc, c, key, texts, name)


def check_damage(sc, c, key, texts, name):
    """Every kind of fault has to move its own figure."""
    n = sum(f["kind"] == "todo" and not f.get("optional") for f in key["facts"])
    bad = ideal(key)
    bad["todos"][0]["fields"]["due_date"] = "2001-01-01"
    bad["todos"][1]["fields"]["owner"] = "Nobody"
    r = sc.score(bad, key, texts)["all"]
    c.equal((r["owners"]["wrong_owners"], r["owners"]["not_in_evidence"]), (1, 1), f"{name}, one wrong owner")
    c.equal(r["due_dates"]["right"], r["due_dates"]["given_in_key"] - 1, f"{name}, one wrong date")
    short = ideal(key)
    del short["todos"][3]
    c.equal(sc.score(short, key, texts)["all"]["todos"]["found"], n - 1, f"{name}, one todo missing")
    double = ideal(key)
    double["todos"].append(copy.deepcopy(double["todos"][0]))
    r = sc.score(double, key, texts)["all"]["todos"]
    c.equal((r["right"], r["second_items"], r["items"]), (n, 1, n + 1), f"{name}, one todo twice")
    files = [f["file"] for f in key["files"]]
    traps = [f for f in key["facts"] if f["kind"] == "not_todo"]
    trapped = ideal(key)
    trapped["todos"] += [item(f["id"], f["quote"], files.index(f["file"]), action="-") for f in traps]
    r = sc.score(trapped, key, texts)["all"]
    c.equal((r["not_todos"]["taken"], r["todos"]["right"]), (len(traps), n), f"{name}, every trap taken")
    moved = ideal(key, words=False)
    for it in moved["todos"]:
        it["evidence"][0]["source"] = (it["evidence"][0]["source"] + 1) % len(files)
    c.equal(sc.score(moved, key, texts)["all"]["todos"]["found"], 0, f"{name}, quotes laid to another file")


def run(sc):
    """Run all checks with the scorer module sc; returns the exit status."""
    c = Checks()
    check_rules(sc, c)
    check_mini(sc, c)
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in ("trip", "trip-en"):
        check_folder(sc, c, os.path.join(here, folder, "facts.json"))
    print(f"selftest: {c.done - c.failed} of {c.done} checks passed")
    return 1 if c.failed else 0
