// Command windowseat is an offline assistant for documents: it reads minutes and
// transcripts and writes summaries, todos, risks and email drafts with a language
// model that runs inside the program. Without arguments it opens the window, with
// a subcommand it runs in the terminal.
//
// This package wires the parts together and holds no logic of its own.
package main

import (
	"os"

	"windowseat/engine/chat"
	"windowseat/ui/cli"
)

// version is the program's version; FyneApp.toml and CHANGELOG.md say the same.
const version = "0.1.0"

func main() {
	if chat.RunChild() { // this process was started to render a template
		return
	}
	if len(os.Args) == 1 || len(os.Args) == 2 && os.Args[1] == "--mobile" {
		os.Exit(openWindow(len(os.Args) == 2))
	}
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, version))
}
