//go:build nogui

package main

import (
	"fmt"
	"os"
)

// openWindow says that this build has no window.
func openWindow(bool) int {
	fmt.Fprintln(os.Stderr, "windowseat: this build has no window; see windowseat help")
	return 2
}
