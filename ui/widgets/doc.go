// Package widgets holds the building blocks of the screens that Fyne lacks: text
// that wraps as Chinese and Latin readers expect, a view of very long text that
// creates objects for the visible lines only, and containers whose height depends
// on their width.
//
// Fyne's own labels break lines at spaces only, or at any character, and ask for
// their height before they know their width. Here a [Flow] object is asked for its
// height at a given width instead, and a [Page] gives its body the width of the
// scroll area before it lays the body out.
//
// The package knows nothing of documents, tasks or models, and holds no words of
// its own. Like all of Fyne, everything here belongs to the UI thread, except
// [Wrap] and [Metrics], which may be used anywhere but not concurrently on the
// same Metrics.
package widgets
