#!/usr/bin/env python3
"""Compare one run of the program with the key of a sample folder.

    python3 assets/samples/score.py RUN.json assets/samples/trip/facts.json [--json] [--list]
    python3 assets/samples/score.py --selftest

RUN.json is the run document (`windowseat run PATH... --json`). The sample files are read
from the folder of the key, so that quotes can be located in them.

The rule by which an item and a fact match:
  evidence  a quote of the item's evidence and the fact's quote (or one of its `also` quotes)
            lie in the same file and share at least half of the shorter one. Both are located
            in the speech of the file: no timings, no speaker names, no white space, no letter case.
  keywords  the item's own words (todo: action; decision: text; risk: text, trigger and
            consequence) contain every keyword of the fact; a keyword that is a list is met
            by any of its members.
An item matches a fact when either holds. Each fact and each item is used at most once; pairs
for which both hold are made first, then evidence alone, then keywords alone, and never
fewer pairs than possible. Facts that count are served before optional ones.

What is counted:
  * Facts whose file (or a file of an `also` quote) is not among the sources are left out.
  * Recall is over facts that are neither `optional` nor `superseded_by` another.
  * Precision is right items over all items but those that match an optional fact.
    A second item for the same fact is wrong. A superseded decision is right only if
    another item says in `replaces` that it replaces that one.
  * Owner: over matched todos whose key names one. Wrong owners also count an owner given
    where the key says null. Due date: over matched todos whose key has one, in a file of the run;
    a date given where the key has none is counted apart as invented.
  * "unconfirmed" items are in the totals; `checked` repeats the figures without them.
"""

import json
import os
import re
import sys
import unicodedata

LISTS = {"todo": "todos", "decision": "decisions", "risk": "risks"}
WORDS = {"todo": ["action"], "decision": ["text"], "risk": ["text", "trigger", "consequence"]}

TIMING = re.compile(r"^\s*(\d+:)?\d+:\d+[.,]\d+\s*-->")
TURN_HEAD = re.compile(r"^\S.{0,30}\s\d{1,2}:\d{2}(:\d{2})?$")
PREFIX = re.compile(r"^[^：:。，！？.,!?\s][^：:。，！？.,!?]{0,24}[：:]\s*")


def norm(text):
    """Fold width and case and drop white space."""
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)).lower()


def speech(name, text):
    """The words said in a sample file, without timings, cue numbers and speaker names."""
    subtitle = name.endswith((".srt", ".vtt"))
    out = []
    for line in text.lstrip("\ufeff").splitlines():
        if subtitle and (TIMING.match(line) or line.strip().isdigit() or line.startswith(("WEBVTT", "NOTE"))):
            continue
        if TURN_HEAD.match(line):
            continue
        out.append(PREFIX.sub("", re.sub(r"</?[vcbiu][^>]*>", "", line)))
    return norm("".join(out))


def spans(text, quote):
    """Every place [start, end) of a quote in normalised speech."""
    quote = norm(PREFIX.sub("", quote)) if norm(quote) not in text else norm(quote)
    found, at = [], text.find(quote) if quote else -1
    while at >= 0:
        found.append((at, at + len(quote)))
        at = text.find(quote, at + 1)
    return found


def share(a, b):
    """Whether two spans have at least half of the shorter one in common."""
    common = min(a[1], b[1]) - max(a[0], b[0])
    return common > 0 and 2 * common >= min(a[1] - a[0], b[1] - b[0])


class Key:
    """The facts of a sample folder, limited to the files of a run, with their places."""

    def __init__(self, key, texts, files):
        self.texts = texts
        self.files = files
        self.places = {}
        self.facts = []
        for fact in key["facts"]:
            places = {name: [] for name in texts}
            for name in texts:
                quotes = fact.get("also", []) + ([fact["quote"]] if name == fact["file"] else [])
                for quote in quotes:
                    places[name] += spans(texts[name], quote)
            if any(places[name] for name in files if name in places):
                self.facts.append(fact)
                self.places[fact["id"]] = places

    def of(self, kind):
        return [f for f in self.facts if f["kind"] == kind]

    def by_evidence(self, item, fact, sources):
        for ev in item.get("evidence") or []:
            name = source_name(sources, ev.get("source"))
            for candidate in [name] if name in self.texts else list(self.texts):
                for place in spans(self.texts[candidate], ev.get("quote") or ""):
                    if any(share(place, p) for p in self.places[fact["id"]][candidate]):
                        return True
        return False


def source_name(sources, index):
    if isinstance(index, int) and 0 <= index < len(sources):
        return unicodedata.normalize("NFC", os.path.basename(sources[index]["file"]))
    return None


def contains(text, keywords):
    """Whether the text has every keyword, or one member of it where it is a list."""
    text = norm(text)
    return bool(keywords) and all(
        any(norm(w) in text for w in ([k] if isinstance(k, str) else k)) for k in keywords)


def item_words(item, kind):
    return " ".join(str(item["fields"].get(name) or "") for name in WORDS[kind])


def pair(items, facts, key, sources, kind):
    """Match items and facts one to one; returns {item index: (fact, how)}."""
    edges = {}
    for i, item in enumerate(items):
        for j, fact in enumerate(facts):
            seen = key.by_evidence(item, fact, sources)
            said = contains(item_words(item, kind), fact.get("keywords"))
            if seen or said:
                how = "both" if seen and said else "evidence" if seen else "keywords"
                edges[i, j] = how
    item_of = {}
    for allowed in (("both",), ("both", "evidence"), ("both", "evidence", "keywords")):
        for i in range(len(items)):
            if i not in item_of.values():
                augment(i, {e for e, how in edges.items() if how in allowed}, item_of, set(), len(facts))
    return {i: (facts[j], edges[i, j]) for j, i in item_of.items()}


def augment(i, edges, item_of, visited, n_facts):
    """One step of bipartite matching: give item i a fact, moving others if need be."""
    for j in range(n_facts):
        if (i, j) in edges and j not in visited:
            visited.add(j)
            if j not in item_of or augment(item_of[j], edges, item_of, visited, n_facts):
                item_of[j] = i
                return True
    return False


def score_kind(items, key, sources, kind):
    """Recall and precision of one list, with the names of all that is missed or wrong."""
    facts = key.of(kind)
    required = [f for f in facts if not f.get("optional") and not f.get("superseded_by")]
    old = [f for f in facts if f.get("superseded_by")]
    optional = [f for f in facts if f.get("optional") and not f.get("superseded_by")]
    matched = pair(items, required, key, sources, kind)
    right = set(matched)
    replaced = {it["fields"].get("replaces") for it in items} - {None}
    ignored, stale = set(), []
    for group in (old, optional):
        rest = [i for i in range(len(items)) if i not in right and i not in ignored and i not in stale]
        for k, (fact, _) in pair([items[i] for i in rest], group, key, sources, kind).items():
            if not fact.get("superseded_by"):
                ignored.add(rest[k])
            elif items[rest[k]].get("id") in replaced:
                right.add(rest[k])
            else:
                stale.append(rest[k])
    wrong = [i for i in range(len(items)) if i not in right and i not in ignored]
    twice = [i for i in wrong if pair([items[i]], required, key, sources, kind)]
    counted = len(items) - len(ignored)
    found = {fact["id"] for fact, _ in matched.values()}
    return {
        "facts": len(required), "items": len(items), "found": len(found), "right": len(right),
        "optional": len(ignored), "superseded_as_current": len(stale), "second_items": len(twice),
        "by_evidence_only": sum(how == "evidence" for _, how in matched.values()),
        "recall": ratio(len(found), len(required)), "precision": ratio(len(right), counted),
        "unconfirmed": sum(it.get("state") == "unconfirmed" for it in items),
        "missed": [f"{f['id']} {f['text']}" for f in required if f["id"] not in found],
        "wrong": [label(items[i], kind) for i in wrong],
    }, matched, wrong


def ratio(part, whole):
    return round(part / whole, 3) if whole else None


def label(item, kind):
    quote = "; ".join((ev.get("quote") or "")[:40] for ev in item.get("evidence") or [])
    return f"{item.get('id')} {item_words(item, kind)} [{quote}]"


def same_person(name, wanted):
    """Whether two spellings name one person: equal, or one a part of the other (小禾, 田小禾)."""
    a, b = norm(name), norm(wanted)
    return a == b or (min(len(a), len(b)) >= 2 and (a in b or b in a))


def owner_in_evidence(item):
    owner = norm(item["fields"]["owner"])
    parts = {owner} | {norm(p) for p in item["fields"]["owner"].split() if len(p) > 1}
    if re.fullmatch(r"[\u4e00-\u9fff]{3,4}", owner):
        parts.add(owner[1:])  # the given name alone
    if re.fullmatch(r"[\u4e00-\u9fff]{2,4}", owner):  # the surname with a title or a familiar form
        parts |= {owner[0] + t for t in "总工姐哥叔"} | {t + owner[0] for t in "老小"}
        parts |= {owner[0] + t for t in ("经理", "老师", "主任", "主管", "师傅", "博士")}
    for ev in item.get("evidence") or []:
        where = norm((ev.get("quote") or "") + "\n" + (ev.get("speaker") or ""))
        if any(p in where for p in parts):
            return True
    return False


def score_owners(items, matched, key):
    given = right = 0
    wrong = []
    for i, (fact, _) in sorted(matched.items()):
        owner, want = items[i]["fields"].get("owner"), fact.get("owner")
        accepted = ([want] if want else []) + fact.get("owner_alt", [])
        given += bool(want)
        if owner and any(same_person(owner, w) for w in accepted):
            right += bool(want)
        elif owner:
            wrong.append(f"{items[i].get('id')} {owner}, key: {want} ({fact['id']})")
    stray = [f"{it.get('id')} {it['fields']['owner']}" for it in items
             if it["fields"].get("owner") and not owner_in_evidence(it)]
    return {"given_in_key": given, "right": right, "accuracy": ratio(right, given),
            "wrong_owners": len(wrong), "wrong": wrong,
            "not_in_evidence": len(stray), "stray": stray}


def score_dates(items, matched, key):
    given = right = invented = 0
    wrong = []
    for i, (fact, _) in sorted(matched.items()):
        if fact["file"] not in key.files:
            continue  # the final date was said in a file that this run did not read
        date, want = items[i]["fields"].get("due_date"), fact.get("due_date")
        given += bool(want)
        invented += bool(date and not want)
        if want and date in [want] + fact.get("due_alt", []):
            right += 1
        elif want or date:
            wrong.append(f"{items[i].get('id')} {date}, key: {want} ({fact['id']} {fact.get('due_words')})")
    return {"given_in_key": given, "right": right, "accuracy": ratio(right, given),
            "invented": invented, "wrong": wrong}


def score_traps(items, wrong, key, sources):
    """Things that are no todo, yet an item that matches no todo rests on them."""
    taken = {}
    for i in wrong:
        for fact in key.of("not_todo"):
            if key.by_evidence(items[i], fact, sources):
                taken[fact["id"]] = f"{fact['id']} {fact['text']} <- {label(items[i], 'todo')}"
    return {"facts": len(key.of("not_todo")), "taken": len(taken), "list": list(taken.values())}


def score_figures(run, key):
    """Figures of the key that the summary states; and superseded ones that it still states."""
    text = json.dumps([it["fields"] for it in run.get("summary") or []], ensure_ascii=False)
    current = [f for f in key.of("figure") if not f.get("superseded_by")]
    old = [f for f in key.of("figure") if f.get("superseded_by")]
    return {"facts": len(current), "in_summary": sum(contains(text, f["keywords"]) for f in current),
            "superseded_in_summary": sum(contains(text, f["keywords"]) for f in old)}


def score(run, key_doc, texts):
    """All figures for a run document; texts maps file names to normalised speech."""
    sources = run.get("sources") or []
    files = {source_name(sources, i) for i in range(len(sources))} & set(texts) or set(texts)
    key = Key(key_doc, texts, files)
    result = {"files": sorted(files)}
    for view in ("all", "checked"):
        out = result[view] = {}
        for kind, name in LISTS.items():
            items = [it for it in run.get(name) or [] if view == "all" or it.get("state") == "checked"]
            out[name], matched, wrong = score_kind(items, key, sources, kind)
            if kind == "todo":
                out["owners"] = score_owners(items, matched, key)
                out["due_dates"] = score_dates(items, matched, key)
                out["not_todos"] = score_traps(items, wrong, key, sources)
    result["figures"] = score_figures(run, key)
    return result


def show(result, with_lists, out=sys.stdout):
    print("files:", ", ".join(result["files"]), file=out)
    for view in ("all", "checked"):
        r = result[view]
        print(f"-- {view} items", file=out)
        for name in ("todos", "decisions", "risks"):
            k = r[name]
            print(f"{name:10} recall {k['found']}/{k['facts']} = {k['recall']}  precision "
                  f"{k['right']}/{k['items'] - k['optional']} = {k['precision']}  optional {k['optional']}  "
                  f"second {k['second_items']}  superseded as current {k['superseded_as_current']}  "
                  f"evidence only {k['by_evidence_only']}  unconfirmed {k['unconfirmed']}", file=out)
        o, d, n = r["owners"], r["due_dates"], r["not_todos"]
        print(f"owners     right {o['right']}/{o['given_in_key']} = {o['accuracy']}  wrong {o['wrong_owners']}  "
              f"not in their evidence {o['not_in_evidence']}", file=out)
        print(f"due dates  right {d['right']}/{d['given_in_key']} = {d['accuracy']}  invented {d['invented']}", file=out)
        print(f"not todos  taken {n['taken']}/{n['facts']}", file=out)
        if with_lists and view == "all":
            show_lists(r, out)
    f = result["figures"]
    print(f"figures in the summary {f['in_summary']}/{f['facts']}, superseded ones {f['superseded_in_summary']}", file=out)


def show_lists(r, out):
    for name in ("todos", "decisions", "risks"):
        for what in ("missed", "wrong"):
            for line in r[name][what]:
                print(f"   {what} {name[:-1]}: {line}", file=out)
    for what, lines in (("wrong owner", r["owners"]["wrong"]), ("owner not in evidence", r["owners"]["stray"]),
                        ("wrong date", r["due_dates"]["wrong"]), ("no todo", r["not_todos"]["list"])):
        for line in lines:
            print(f"   {what}: {line}", file=out)


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def load_texts(key_path, key):
    texts = {}
    for entry in key["files"]:
        path = os.path.join(os.path.dirname(os.path.abspath(key_path)), entry["file"])
        with open(path, encoding="utf-8") as f:
            texts[entry["file"]] = speech(entry["file"], f.read())
    return texts


def main(argv):
    flags = [a for a in argv if a.startswith("--")]
    paths = [a for a in argv if not a.startswith("--")]
    if flags == ["--selftest"] and not paths:
        sys.dont_write_bytecode = True
        import score_selftest
        return score_selftest.run(sys.modules[__name__])
    if len(paths) != 2 or set(flags) - {"--json", "--list"}:
        print("usage: score.py RUN.json FACTS.json [--json] [--list] | score.py --selftest", file=sys.stderr)
        return 2
    try:
        run, key = load(paths[0]), load(paths[1])
        texts = load_texts(paths[1], key)
    except (OSError, ValueError, KeyError) as err:
        print(f"score: {err}", file=sys.stderr)
        return 1
    result = score(run, key, texts)
    if "--json" in flags:
        json.dump(result, sys.stdout, ensure_ascii=False, indent=1)
        print()
    else:
        show(result, "--list" in flags)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
