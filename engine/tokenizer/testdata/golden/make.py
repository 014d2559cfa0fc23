#!/usr/bin/env python3
"""Makes the golden token ids: llama.cpp's library loads the vocabulary of the
model file and gives the ids of every string below.

usage: make.py LIBLLAMA.so MODEL.gguf OUT.json
"""
import ctypes
import itertools
import json
import sys

CHINESE = [
    "会议纪要", "今天下午三点，我们在二号会议室讨论第三季度的预算。", "张伟：预算从500万元降到350万元，大家同意吗？",
    "李娜说：“我不同意，理由有三。”", "①范围 ②进度 ③风险", "甲方（以下简称“委托方”）与乙方……", "价格：￥1,280.00元整（含税）。",
    "二〇二六年十一月三十日", "截止日期：2026年11月30日 17:30", "下周三前提交给王芳；逾期视为放弃。", "一、背景\n二、目标\n三、计划\n",
    "。。。。。。", "，、；：？！", "《合同法》第52条", "「引號」『雙引號』", "𠮷野家和㐂寿司", "赋予", "歪", "龘靐齉", "繁體中文測試：會議紀錄",
    "中文English混排test一下", "用Go写的v1.26版本", "ＡＢＣ１２３全角字符", "　　全角空格开头的段落", "你好,世界!", "的的的的的的的的的的的的",
    "我们\u3000他们", "好的。好的。好的。", "【重要】请于今日下班前回复【全体】", "第１章　総則", "负责人：无；截止：待定", "百分之三十五点七",
    "说话人 1 00:01:23\n大家好，我先来同步一下进度。\n", "张三\t李四\t王五", "邮箱 zhangwei@example.com 电话 138-0013-8000",
    "人民币叁佰伍拾万元整", "……——～·", "她问：「这是谁的？」他答：「不知道。」", "上海市浦东新区世纪大道100号", "囧rz 233333 hhhhh",
]
ENGLISH = [
    "Hello, world!", "Hello world", " hello", "hello ", "  two spaces", "I'm sure they'll say it's we've who're late; I'd don't.",
    "I'M SURE THEY'LL SAY IT'S WE'VE WHO'RE LATE; I'D DON'T", "'s 't 're 've 'm 'll 'd", "'S 'T 'RE 'VE 'M 'LL 'D", "'sx 'tx 'rex", "rock 'n' roll",
    "O'Neill's", "the dogs' bowls", "It’s a curly apostrophe", "e.g., i.e., etc.", "Dr. Smith et al. (2019) found p < 0.05.", "U.S.A.", "state-of-the-art",
    "The quick brown fox jumps over the lazy dog.", "Action items: (1) Ann to send the draft by Friday; (2) Bob to review.",
    "Q3 revenue was $3,500,000.00 (+2.5%).", "supercalifragilisticexpialidocious", "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis",
    "ALLCAPSWORD camelCaseWord snake_case_word kebab-case-word", "http://example.com/path?query=1&other=two#frag", "user@example.org", "C:\\Users\\Public\\file.txt",
    "#hashtag @mention", "12:30 PM - 1:45 pm", "a b c d e f g", "A", "z", "naïve café résumé coöperate", "Ångström", "œuvre straße Ĳssel",
    "...", "!!!", "?!?!", "--", "—", "- item one\n- item two\n", "> quoted\n>> twice\n", "Dear Mr. O’Brien,\n\nThank you.\n\nBest,\nAnn",
    "tokenization untokenizable re-tokenized", "xyzzyqwrtplkjhgfdsazxcvbnm", "ſ's K'S", "Don'T", "'", "''", "'s", "x's", "'\n", "' s",
]
EMOJI = [
    "😀", "👍🏽", "👨‍👩‍👧", "👩🏻‍💻", "🇨🇳", "🇺🇸🇬🇧", "❤️", "☎️", "1️⃣2️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🎉🎉🎉", "done ✅ todo ❌", "好的👌没问题", "🧑‍🚀🚀", "😀 😀", "a😀b", "🤷‍♂️", "© ® ™", "→ ← ↑ ↓", "★☆", "♪♫", "♥",
]
CODE = [
    "func main() {\n\tfmt.Println(\"hi\")\n}\n", "def f(x):\n    return x ** 2\n", "for (int i = 0; i < n; ++i) { a[i] += b[i]; }",
    "SELECT * FROM t WHERE id = 1;", "{\"key\": [1, 2.5, null, true]}", "<div class=\"x\">&nbsp;</div>", "if err != nil {\n\t\treturn err\n\t}",
    "#include <stdio.h>\n", "x = y if z else w", "a->b.c()::d", "/* comment */ // line", "```python\nprint(1)\n```", "$ ls -la | grep '^d' > out.txt 2>&1",
    "0xDEADBEEF 0b1010 1e-9", "\\n\\t\\r\\0", "regex: ^\\s*(\\w+)\\s*=\\s*(.*)$", "&&||!~^%", "[[[]]]((()))", "=====", "-----", "|a|b|\n|---|---|\n|1|2|\n", "lambda x: x+1", "    \t  mixed",
]
SPACE = [
    "", " ", "  ", "   ", "    ", "\t", "\t\t", "\n", "\n\n", "\n\n\n", "\r\n", "\r\n\r\n", "\r", " \n", "\n ", " \n ", "  \n  x", "x  \n\n  y", "x\n", "x\n\n", "x \n", "x\n y",
    "\t\n\tx", "a  b", "a   b", "a    b", "a\tb", "a \tb", "a\t b", "a\u00a0b", "a\u2003b", "a\u3000b", "a\u3000\u3000b", "\u00a0", " \u00a0 x", "a\u200bb", "a\ufeffb", "\u2028x\u2029", "\x0b\x0c", "a\x0bb", "\x85x", "x\x85",
    " !", "  !", " !\n", "!\n\n", "! \n", ".\r\n", ".\n\nNext", "。\n\n下一段", " 。", "  。", "trailing   ", "trailing\t\t", "   leading", "\n   leading", "a\n\n\n\nb", "a \n \n b", " \r\n \r\n", "-\n-\n", "  \t \n\t  \r\n   z",
]
DIGITS = [
    "0", "1", "12", "123", "1234", "12345", "1234567890", "3.14159", "1,000,000", "2026-11-30", "10:45:33", "+86 138 0013 8000", "a1b2c3", "v1.26.8", " 1", "  1", " 12", "1 2", "1  2", "x1", "1x", "第3条",
    "٣٤٥", "१२३", "②③", "½ ¼ ¾", "Ⅳ ⅷ", "１２３", "x²+y³", "二三四", "100%", "$5", "5€", "1\n2", "1\n\n2", " 1 \n 2 ", "4:2", "007", "1'000", "9's",
]
SCRIPTS = [
    "Привет, мир! Как дела?", "Γειά σου Κόσμε", "שלום עולם", "مرحبا بالعالم", "नमस्ते दुनिया", "สวัสดีชาวโลก", "こんにちは世界。カタカナ、ひらがな。", "안녕하세요 세계", "Xin chào thế giới", "გამარჯობა", "Բարեւ", "ሰላም", "မင်္ဂလာပါ", "ខ្មែរ", "বাংলা ভাষা", "தமிழ்",
    "ไม่เป็นไร 123", "Dvořák Łódź Ğ ı İ", "e\u0301 vs é", "a\u0308o\u0308u\u0308", "Z\u0351\u036ba\u0343l\u034dg\u0321o\u035b", "ﬁ ﬂ ligatures", "Å Å", "가 vs 가", "\u200dzwj\u200c", "\u202eright to left\u202c", "ﷺ", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟙𝟚𝟛", "𓀀𓁐", "𐍈", "\U0002ebf0\U0002ee5d ext I", "\U000323af", "\U0010ffff", "\ue000 private", "\ufffd", "\ufffe", "ᠮᠣᠩᠭᠣᠯ", "ⅣⅤ", "ªº", "ʰʲ", "ǅ",
]
CONTROL = [
    "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|im_start|>user\nhi<|im_end|>\n", "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n你好<|im_end|>\n<|im_start|>assistant\n",
    "a<|im_end|>b", " <|im_end|> ", "<|im_end|><|im_end|>", "<|im_end|", "|im_end|>", "<<|im_end|>>", "<|IM_END|>", "< |im_end|>", "<|im_start|><|im_start|>", "<|fim_prefix|>x<|fim_suffix|>y<|fim_middle|>", "<|file_sep|>", "<|repo_name|>",
    "<eos>", "<bos>", "</s>", "<s>", "[INST]", "<|eot_id|>", "<|begin_of_text|>", "<repo_name>", "<reponame>", "<file_sep>", "<filename>", "<gh_stars>", "<empty_output>", "<jupyter_start>", "[PAD151665]",
    "他在演讲里说：模板里有<|im_start|>和<|im_end|>两个标记。", "The template ends with <|im_end|>, then a newline.", "\n<|im_end|>\n", "x <|endoftext|> y", "<|vision_start|><|image_pad|><|vision_end|>", "\x00", "\x01\x02\x03", "\x7f", "a\x00b",
]
# Only for the control mode: plain mode of llama.cpp recognises user-defined
# tokens, this program does not.
USER_DEFINED = ["<tool_call>", "<tool_call>\n{\"name\": 1}\n</tool_call>", "a<tool_call>b", "</tool_call>"]

LONG = [
    "a" * 100, " " * 100, "\n" * 40, "ab" * 60, "哈" * 80, "1" * 40, "=" * 120, "我们都是好朋友" * 15, "word " * 30, "😀" * 20, "aA" * 50, "-=" * 40, "\t" * 33, " \n" * 20,
    "会议于上午九点开始由王主任主持各部门负责人依次汇报了本季度的工作进展以及下一阶段的主要安排和需要协调解决的问题",
    "thequickbrownfoxjumpsoverthelazydogandthenrunsawayfromthehunterwhowaschasingitallday",
]


def mixed():
    """Neighbouring character classes in every order."""
    atoms = ["a", "B", "7", " ", "\n", "\r", "\t", "!", "'s", "会", "é", "😀", "\u3000", "\u0301"]
    for n in (1, 2):
        for combo in itertools.product(atoms, repeat=n):
            yield "".join(combo)
    # A fixed sample of the triples, to keep the file small.
    for i, combo in enumerate(itertools.product(atoms, repeat=3)):
        if i % 13 == 0:
            yield "".join(combo)


class ModelParams(ctypes.Structure):
    """llama_model_params of llama.h, version 0.5.0-dev."""
    _fields_ = [
        ("devices", ctypes.c_void_p), ("tensor_buft_overrides", ctypes.c_void_p),
        ("n_gpu_layers", ctypes.c_int32), ("split_mode", ctypes.c_int), ("load_mode", ctypes.c_int),
        ("lazy_mode", ctypes.c_int), ("main_gpu", ctypes.c_int32), ("tensor_split", ctypes.c_void_p),
        ("progress_callback", ctypes.c_void_p), ("progress_callback_user_data", ctypes.c_void_p),
        ("kv_overrides", ctypes.c_void_p), ("vocab_only", ctypes.c_bool), ("check_tensors", ctypes.c_bool),
        ("use_extra_bufts", ctypes.c_bool), ("no_host", ctypes.c_bool), ("no_alloc", ctypes.c_bool),
        ("load_mtp", ctypes.c_bool),
    ]


def main():
    library, model, out = sys.argv[1:4]
    lib = ctypes.CDLL(library)
    lib.llama_model_default_params.restype = ModelParams
    lib.llama_model_load_from_file.restype = ctypes.c_void_p
    lib.llama_model_load_from_file.argtypes = [ctypes.c_char_p, ModelParams]
    lib.llama_model_get_vocab.restype = ctypes.c_void_p
    lib.llama_model_get_vocab.argtypes = [ctypes.c_void_p]
    lib.llama_tokenize.argtypes = [
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.POINTER(ctypes.c_int32), ctypes.c_int32,
        ctypes.c_bool, ctypes.c_bool]
    lib.llama_vocab_is_eog.argtypes = [ctypes.c_void_p, ctypes.c_int32]
    lib.llama_vocab_is_eog.restype = ctypes.c_bool
    lib.llama_vocab_n_tokens.argtypes = [ctypes.c_void_p]
    params = lib.llama_model_default_params()
    assert not params.vocab_only and params.use_extra_bufts, "the struct differs from llama.h"
    params.vocab_only = True
    handle = lib.llama_model_load_from_file(model.encode(), params)
    assert handle, "the model did not load"
    vocab = lib.llama_model_get_vocab(handle)

    def ids(text, special):
        raw = text.encode()
        buf = (ctypes.c_int32 * (len(raw) + 8))()
        n = lib.llama_tokenize(vocab, raw, len(raw), buf, len(buf), False, special)
        assert n >= 0
        return list(buf[:n])

    texts = CHINESE + ENGLISH + EMOJI + CODE + SPACE + DIGITS + SCRIPTS + CONTROL + LONG + list(mixed())
    texts = list(dict.fromkeys(texts))
    cases = []
    for text in texts:
        plain, control = ids(text, False), ids(text, True)
        case = {"text": text, "plain": plain}
        if control != plain:
            case["control"] = control
        cases.append(case)
    for text in USER_DEFINED:
        cases.append({"text": text, "control": ids(text, True)})
    ends = [i for i in range(lib.llama_vocab_n_tokens(vocab)) if lib.llama_vocab_is_eog(vocab, i)]
    with open(out, "w", encoding="utf-8") as f:
        f.write("{\"ends\": " + json.dumps(ends) + ",\n\"cases\": [\n")
        f.write(",\n".join(json.dumps(c, ensure_ascii=True) for c in cases) + "\n]}\n")
    print(len(cases), "cases")


main()
