package document

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A panic inside a reader is an error about the file, without the file's words.
func TestReaderPanicBecomesError(t *testing.T) {
	in := newInput([]byte("secret words"), Options{})
	require.NoError(t, in.decodeText())
	in.speech = &speech{headers: map[int]stamp{}, style: nameTime}
	in.lines = nil
	doc := &Document{Blocks: []Block{{Place: Place{HasTime: true, Start: 5}}, {Place: Place{HasTime: true, Start: 9}}}}
	err := runReader(context.Background(), in, doc) // closeTurns meets a timed block without cues
	var re *ReaderError
	require.True(t, errors.As(err, &re), "%v", err)
	assert.Equal(t, "feishu", re.Kind)
	assert.NotContains(t, err.Error(), "secret")
	assert.Equal(t, "internal error", panicCause("secret words"))
}

// Cancel is honoured while a reader works.
func TestCancelWhileReading(t *testing.T) {
	for _, name := range []string{"a.txt", "a.vtt"} {
		in := newInput([]byte("WEBVTT\n\n00:01.000 --> 00:02.000\nhi\n"), Options{Name: name})
		require.NoError(t, in.decodeText())
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		require.ErrorIs(t, runReader(ctx, in, &Document{}), context.Canceled)
	}
}

func TestClassifyName(t *testing.T) {
	tests := map[string]nameClass{
		"张伟": personLike, "欧阳娜娜": personLike, "李总": personLike, "王老师": personLike, "阿卜杜拉·买买提": personLike, "張偉": personLike,
		"Ann Lee": personLike, "Ludwig van Beethoven": personLike, "Justin Florentine (Besu)": personLike, "李雷(外部)": personLike,
		"说话人 1": roleName, "发言人3": roleName, "Speaker 12": roleName, "SPEAKER_00": roleName, "Unknown Speaker": roleName, "嘉宾A": roleName,
		"永强": weakName, "Bob": weakName, "stokes": weakName, "胡core": weakName,
		"注意": notName, "http": notName, "时间": notName, "会议主题": notName, "总体计划": notName, "Next Steps": notName, "10": notName, "": notName,
		"他说，然后": notName, "and then he went there": notName, "很长很长的一个不会是名字的短语": notName,
	}
	for s, want := range tests {
		assert.Equal(t, want, classifyName(s), "%q", s)
	}
}

// Megabytes of each kind are read within seconds: no step is quadratic. The limit
// is twenty times what an idle machine takes.
func TestReadLarge(t *testing.T) {
	for name, text := range map[string]string{
		"dialogue": strings.Repeat("张伟：先看预算，再看排期，然后散会。\n李娜：好的，没有问题。\n", 12000),
		"one line": strings.Repeat("先看预算，再看排期。", 60000),
		"log":      strings.Repeat("2026-05-12 10:23:11.123 INFO [main] module: started in 35 ms\n", 15000),
		"srt":      strings.Repeat("1\n00:00:01,000 --> 00:00:02,000\nTom: hello.\n\n2\n00:00:09,000 --> 00:00:10,000\nMia: again.\n\n", 8000),
		"pipes":    strings.Repeat("| a | b |\n", 60000),
	} {
		start := time.Now()
		doc, err := Read(context.Background(), strings.NewReader(text), Options{Name: name})
		require.NoError(t, err, name)
		require.NotEmpty(t, doc.Blocks)
		t.Logf("%s: %d MB, %d blocks, %v", name, len(text)>>20, len(doc.Blocks), time.Since(start).Round(time.Millisecond))
		assert.Less(t, time.Since(start), 10*time.Second, name)
	}
}
