package fetch_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"windowseat/engine/models/fetch"
)

// serve starts a TLS server of this machine and returns a fetcher that trusts it.
func serve(t *testing.T, h http.HandlerFunc) (*fetch.Fetcher, fetch.Source) {
	t.Helper()
	srv := httptest.NewTLSServer(h)
	t.Cleanup(srv.Close)
	f := &fetch.Fetcher{Client: srv.Client(), FreeSpace: plenty, RetryWait: time.Millisecond}
	return f, fetch.Source{Kind: fetch.HTTPS, URL: srv.URL + "/tiny.gguf"}
}

// asFile answers like a file server that knows Range.
func asFile(data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "tiny.gguf", time.Time{}, bytes.NewReader(data))
	}
}

func requireFile(t testing.TB, path string, data []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, sum(data), sum(got))
}

func TestHTTPS(t *testing.T) {
	data := content(4_000_000)
	f, src := serve(t, asFile(data))
	dst := filepath.Join(t.TempDir(), "x")
	require.NoError(t, f.Get(t.Context(), dst, wanted(data, src), nil))
	requireFile(t, dst, data)
}

func TestHTTPSResume(t *testing.T) {
	data := content(4_000_000)
	var mu sync.Mutex
	var ranges []string
	f, src := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		ranges = append(ranges, r.Header.Get("Range"))
		mu.Unlock()
		asFile(data)(w, r)
	})
	dst := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(dst+".part", data[:1_234_567], 0o644))
	require.NoError(t, f.Get(t.Context(), dst, wanted(data, src), nil))
	requireFile(t, dst, data)
	require.Equal(t, []string{"bytes=1234567-"}, ranges)
}

// A kept part with a wrong byte costs one more try from the start, no more.
func TestHTTPSResumeOnWrongPart(t *testing.T) {
	data := content(400_000)
	f, src := serve(t, asFile(data))
	dst := filepath.Join(t.TempDir(), "x")
	bad := bytes.Clone(data[:100_000])
	bad[5]++
	require.NoError(t, os.WriteFile(dst+".part", bad, 0o644))
	require.NoError(t, f.Get(t.Context(), dst, wanted(data, src), nil))
	requireFile(t, dst, data)
}

// A host that ignores Range sends the whole file: it must not be appended.
func TestHTTPSWithoutRange(t *testing.T) {
	data := content(300_000)
	f, src := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(data) })
	dst := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(dst+".part", data[:100_000], 0o644))
	require.NoError(t, f.Get(t.Context(), dst, wanted(data, src), nil))
	requireFile(t, dst, data)
}

// The connection breaks every 100 kB; the transfer goes on each time.
func TestHTTPSBrokenConnections(t *testing.T) {
	data := content(950_000)
	var n atomic.Int32
	f, src := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n.Add(1)
		from := 0
		if h := r.Header.Get("Range"); h != "" {
			_, _ = fmt.Sscanf(h, "bytes=%d-", &from)
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(data)-1, len(data)))
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(data)-from))
		if from > 0 {
			w.WriteHeader(http.StatusPartialContent)
		}
		_, _ = w.Write(data[from:min(from+100_000, len(data))])
	})
	dst := filepath.Join(t.TempDir(), "x")
	require.NoError(t, f.Get(t.Context(), dst, wanted(data, src), nil))
	requireFile(t, dst, data)
	require.GreaterOrEqual(t, n.Load(), int32(10))
}

func TestHTTPSErrors(t *testing.T) {
	data := content(100_000)
	other := bytes.Clone(data)
	other[99] ^= 4
	for name, tc := range map[string]struct {
		h    http.HandlerFunc
		kind fetch.ErrorKind
		part int // bytes there already
		kept int // bytes of the part afterwards
	}{
		"404":            {http.NotFound, fetch.HTTPStatus, 500, 500},
		"401":            {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, fetch.HTTPStatus, 0, 0},
		"503":            {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, fetch.Interrupted, 500, 500},
		"416":            {asFile(data[:400]), fetch.WrongSize, 500, 500},
		"wrong_hash":     {asFile(other), fetch.WrongHash, 0, 0},
		"shorter_file":   {asFile(data[:99_999]), fetch.WrongSize, 0, 0},
		"shorter_resume": {asFile(data[:99_999]), fetch.WrongSize, 500, 500},
		"longer_file":    {asFile(append(bytes.Clone(data), 1)), fetch.WrongSize, 0, 0},
		"longer_without_length": {func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			_, _ = w.Write(append(bytes.Clone(data), 1, 2, 3))
		}, fetch.WrongSize, 0, -1},
		"login_page": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, fetch.WrongSize, 0, 0},
		"redirect_to_http": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://"+r.Host+"/plain", http.StatusFound)
		}, fetch.NotSecure, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f, src := serve(t, tc.h)
			dst := filepath.Join(t.TempDir(), "x")
			if tc.part > 0 {
				require.NoError(t, os.WriteFile(dst+".part", data[:tc.part], 0o644))
			}
			requireKind(t, f.Get(t.Context(), dst, wanted(data, src), nil), tc.kind)
			require.NoFileExists(t, dst)
			if tc.kept >= 0 {
				info, err := os.Stat(dst + ".part")
				require.NoError(t, err)
				require.Equal(t, int64(tc.kept), info.Size())
			}
		})
	}
}

func TestHTTPSRedirect(t *testing.T) {
	data := content(10_000)
	f, src := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/tiny.gguf" {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return
		}
		asFile(data)(w, r)
	})
	dst := filepath.Join(t.TempDir(), "x")
	require.NoError(t, f.Get(t.Context(), dst, wanted(data, src), nil))
	requireFile(t, dst, data)
}

func TestPlainHTTPRefused(t *testing.T) {
	err := new(fetch.Fetcher).Get(t.Context(), filepath.Join(t.TempDir(), "x"),
		wanted(content(5), fetch.Source{Kind: fetch.HTTPS, URL: "http://127.0.0.1:1/x"}), nil)
	requireKind(t, err, fetch.NotSecure)
}

// The server's own certificate is not trusted by a plain client.
func TestBadCertificate(t *testing.T) {
	data := content(5)
	_, src := serve(t, asFile(data))
	f := &fetch.Fetcher{Client: &http.Client{}, FreeSpace: plenty}
	requireKind(t, f.Get(t.Context(), filepath.Join(t.TempDir(), "x"), wanted(data, src), nil), fetch.BadTLS)
}

// With the host down, the next source is used.
func TestNoNetworkFallsBack(t *testing.T) {
	data := content(50_000)
	srv := httptest.NewTLSServer(http.NotFoundHandler())
	down := fetch.Source{Kind: fetch.HTTPS, URL: srv.URL + "/x"}
	client := srv.Client()
	srv.Close()
	f := &fetch.Fetcher{Client: client, FreeSpace: plenty}
	dst := filepath.Join(t.TempDir(), "x")
	requireKind(t, f.Get(t.Context(), dst, wanted(data, down), nil), fetch.NoNetwork)

	src := filepath.Join(t.TempDir(), "src")
	require.NoError(t, os.WriteFile(src, data, 0o644))
	require.NoError(t, f.Get(t.Context(), dst, wanted(data, down, fetch.Source{Kind: fetch.Local, Path: src}), nil))
	requireFile(t, dst, data)
}

// hang sends the first bytes and then nothing until the client leaves.
func hang(data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		_, _ = w.Write(data[:50_000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

func TestCancelKeepsWhatCame(t *testing.T) {
	data := content(200_000)
	f, src := serve(t, hang(data))
	dst := filepath.Join(t.TempDir(), "x")
	ctx, cancel := context.WithCancel(t.Context())
	var cancelled time.Time
	err := f.Get(ctx, dst, wanted(data, src), func(done, _ int64) {
		if done == 50_000 && cancelled.IsZero() {
			cancelled = time.Now()
			cancel()
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, time.Since(cancelled), time.Second)
	info, err := os.Stat(dst + ".part")
	require.NoError(t, err)
	require.Equal(t, int64(50_000), info.Size())

	g, src2 := serve(t, asFile(data))
	require.NoError(t, g.Get(t.Context(), dst, wanted(data, src2), nil))
	requireFile(t, dst, data)
}

func TestStalledConnection(t *testing.T) {
	data := content(200_000)
	f, src := serve(t, hang(data))
	f.Stall = 50 * time.Millisecond
	err := f.Get(t.Context(), filepath.Join(t.TempDir(), "x"), wanted(data, src), nil)
	requireKind(t, err, fetch.Interrupted)
	require.ErrorContains(t, err, "no data came for too long")
}
