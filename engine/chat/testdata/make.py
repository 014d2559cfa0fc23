#!/usr/bin/env python3
"""Makes golden.json: the renderings that Python's jinja2 gives, with the settings
of Hugging Face transformers (apply_chat_template), for the templates beside it.

usage: make.py [MODEL.gguf ...]   a model argument refreshes its .jinja file first
"""
import json
import os
import sys

from jinja2.sandbox import ImmutableSandboxedEnvironment

HERE = os.path.dirname(os.path.abspath(__file__))

CONVERSATIONS = {
    "question_zh": [("user", "请总结这份会议纪要。")],
    "system_first": [("system", "You read minutes."), ("user", "Who sends the draft?")],
    "several_turns": [
        ("system", "你是会议助手。\n只用中文回答。"), ("user", "  模板里有<|im_start|>和<|im_end|>。\n"), ("assistant", "好的。"),
        ("user", "\n\n还有 {{ messages }} 和 {% raw %} 呢？"), ("assistant", ""), ("user", "'\"&<>\\ \t"),
    ],
    "system_later": [("user", "a"), ("system", "b"), ("assistant", "c")],
    "two_users": [("user", "first"), ("user", "second")],
}


def main():
    for path in sys.argv[1:]:
        import gguf
        reader = gguf.GGUFReader(path)
        name = os.path.splitext(os.path.basename(path))[0] + ".jinja"
        with open(os.path.join(HERE, name), "w", encoding="utf-8", newline="") as f:
            f.write(reader.fields["tokenizer.chat_template"].contents())

    def raise_exception(message):
        raise ValueError(message)

    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
    env.globals["raise_exception"] = raise_exception
    golden = []
    for name in sorted(os.listdir(HERE)):
        if not name.endswith(".jinja"):
            continue
        with open(os.path.join(HERE, name), encoding="utf-8", newline="") as f:
            template = env.from_string(f.read())
        for conversation, turns in CONVERSATIONS.items():
            for gen in (False, True):
                messages = [{"role": r, "content": c} for r, c in turns]
                text = template.render(messages=messages, tools=None, documents=None, add_generation_prompt=gen,
                                       bos_token="<|begin_of_text|>", eos_token="<|im_end|>")
                golden.append({"template": name, "conversation": conversation, "turns": messages, "gen": gen, "text": text})
    with open(os.path.join(HERE, "golden.json"), "w", encoding="utf-8") as f:
        f.write("[\n" + ",\n".join(json.dumps(g) for g in golden) + "\n]\n")
    print(len(golden), "renderings")


main()
