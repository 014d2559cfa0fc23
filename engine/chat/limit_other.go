//go:build !linux

package chat

// limitProcess does nothing here: the parent's time limit and the memory watch
// remain.
func limitProcess() {}
