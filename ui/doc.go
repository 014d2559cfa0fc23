// Package ui is the window of Windowseat: open or drop files, choose tasks, watch
// the text stream, stop, read the results beside the places they come from, save.
//
// [New] builds the window over a [Backend], which does the work; [NewBackend] makes
// the real one from a function that opens a model. The package holds no logic of
// the tasks themselves, and it imports no Fyne driver: only the program's main does.
//
// Threads: everything in this package belongs to Fyne's UI thread, except the jobs
// that run the Backend. They hand their news over through bridge.go and nowhere
// else, and nothing on the UI thread waits for them.
//
// Words: every sentence on the screen is in lang/zh.json and lang/en.json. What
// comes from below the window as a code with arguments (notes, reasons) is put into
// words by words.go. Nothing that a document says is written to a log.
package ui
