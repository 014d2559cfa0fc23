package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"windowseat/engine/filelock"
)

// lockPoll is how often a waiting process looks again.
const lockPoll = 200 * time.Millisecond

// Lock takes the advisory lock at path, and waits while another process (or
// another call of this one) holds it; waiting is called at each look. It returns
// the function that releases it. The lock dies with its process, so a crash
// leaves none behind; the file stays, because removing it would let two holders in.
func Lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	fd, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, diskError(path, err)
	}
	for {
		err := filelock.Try(fd)
		if err == nil || errors.Is(err, filelock.ErrUnsupported) { // without locks there is nothing to wait for
			return func() { _ = fd.Close() }, nil // closing releases
		}
		if !errors.Is(err, filelock.ErrHeld) {
			_ = fd.Close()
			return nil, fmt.Errorf("fetch: locking %s: %w", path, err)
		}
		if waiting != nil {
			waiting()
		}
		select {
		case <-ctx.Done():
			_ = fd.Close()
			return nil, fmt.Errorf("fetch: waiting for another process to finish: %w", ctx.Err())
		case <-time.After(lockPoll):
		}
	}
}
