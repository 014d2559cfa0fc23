package cli_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/kernels"
)

// TestDoctorJSON: the shape, and that the check of it can fail.
func TestDoctorJSON(t *testing.T) {
	home(t)
	r := call(t, "doctor", "--json")
	require.Equal(t, 0, r.code, r.err)
	require.NoError(t, valid(t, "doctor.schema.json", r.out))
	assert.Empty(t, r.err)
	for _, change := range [][2]string{{`"logical_cores"`, `"cores"`}, {`"reason": "missing"`, `"reason": "mood"`}, {`"only": "models get"`, `"only": "always"`}, {`"state": "absent"`, `"state": "gone"`}} {
		if runtime.GOOS != "linux" && strings.Contains(change[0], "only") {
			continue
		}
		require.Contains(t, r.out, change[0])
		assert.Error(t, valid(t, "doctor.schema.json", strings.Replace(r.out, change[0], change[1], 1)), change[1])
	}
}

// TestDoctorText: each line in both languages.
func TestDoctorText(t *testing.T) {
	dir := home(t)
	for lang, labels := range map[string][]string{
		"en": {"program", "system", "processor", "features", "kernels", "memory", "battery", "temperature", "data", "models", "default", "network"},
		"zh": {"程序", "系统", "处理器", "指令集", "内核", "内存", "电池", "温度", "数据", "模型", "默认模型", "网络"},
	} {
		r := call(t, "doctor", "--ui-lang", lang)
		require.Equal(t, 0, r.code, r.err)
		var found []string
		for _, line := range strings.Split(strings.TrimSuffix(r.out, "\n"), "\n") {
			if line[0] != ' ' {
				label, _, _ := strings.Cut(line, "  ")
				found = append(found, label)
			}
		}
		assert.Equal(t, labels, found, lang)
		assert.Contains(t, r.out, "windowseat 1.2.3")
		assert.Contains(t, r.out, filepath.Dir(dir))
		assert.Contains(t, r.out, "windowseat models get")
		if lang == "en" {
			assert.NotRegexp(t, han, r.out)
		}
	}
}

// TestDoctorSeesModels: an imported one with its pack, and a damaged one.
func TestDoctorSeesModels(t *testing.T) {
	home(t)
	original := filepath.Join(t.TempDir(), "mine.gguf")
	require.NoError(t, spec().Write(original))
	require.Equal(t, 0, call(t, "models", "import", original).code)
	assert.Regexp(t, ` mine +\d+ MiB +\S.* ready +- +\S+mine.gguf\n`, call(t, "doctor").out)
	g := call(t, "generate", "--prompt", "x", "-n", "1", "--model", "mine")
	require.Equal(t, 0, g.code, g.err)
	assert.Regexp(t, ` mine .* ready +pack \d+ MiB +`, call(t, "doctor").out)
	assert.Regexp(t, ` mine .* 就绪 +权重包 \d+ MiB +`, call(t, "doctor", "--ui-lang", "zh").out)

	path := listed(t)["mine"].Path
	require.NoError(t, os.Truncate(path, 100))
	assert.Regexp(t, ` mine .* damaged +.*mine.gguf \(`, call(t, "doctor").out)
}

// TestDoctorKernels: which path, and why.
func TestDoctorKernels(t *testing.T) {
	assert.Contains(t, call(t, "doctor", "--threads", "3").out, "; 3 threads")
	assert.Contains(t, call(t, "doctor", "--threads", "1").out, "; 1 thread\n")
	before := kernels.Active()
	t.Cleanup(func() { require.NoError(t, kernels.Use(before)) })
	t.Setenv("KERNELS", "ref")
	assert.Contains(t, call(t, "doctor").out, "ref, forced by KERNELS")
	t.Cleanup(func() { require.NoError(t, kernels.UseGrain("")) })
	for _, grain := range []string{"medium", "coarse"} {
		t.Setenv("KERNELS", "ref,"+grain)
		assert.Contains(t, call(t, "doctor").out, "prompts in the "+grain+" grain")
	}
	t.Setenv("KERNELS", ",fine")
	line := call(t, "doctor").out
	assert.Contains(t, line, "; prompts in the fine grain, forced by KERNELS")
	assert.NotContains(t, line, "ref, forced", "the path was not forced by this call")
	t.Setenv("KERNELS", "ref,fine")
	r := call(t, "doctor", "--json")
	assert.Contains(t, r.out, `"prompts_forced": true`)
	assert.Contains(t, r.out, `"reason": "forced"`)
	t.Setenv("KERNELS", "ref")
	assert.Contains(t, call(t, "doctor", "--json").out, `"prompts_forced": false`)
	for _, wrong := range []string{",fin", "nosuch", "ref,nosuch"} {
		t.Setenv("KERNELS", wrong)
		failed(t, 2, call(t, "generate", "--prompt", "x"), `KERNELS="`+wrong+`"`, "the paths here are", "see windowseat help doctor")
		failed(t, 2, call(t, "doctor", "--ui-lang", "zh"), "应为")
	}
	t.Setenv("KERNELS", "")
	assert.Contains(t, call(t, "help", "doctor").out, "KERNELS=avx2,fine")
}
