// Package assistant makes results out of documents that people can check: a
// summary, decisions, todos, risks and an email draft, each item with the words of
// the source that it rests on.
//
// A job runs in small passes. Code reads the documents first: sentences
// (lines.go), persons and how they are called (people.go), time phrases in both
// languages (dates.go), and the wording by which people promise, assign, decide
// and warn (cues.go). Such sentences are candidates. For each, the model sees a few
// turns around it and fills one small answer whose owner and deadline can only be
// what the program found there, or that there is nothing (extract.go). Code then
// proves the owner from the grammar of the sentence (owner.go), resolves the
// deadline, quotes the sentence byte for byte, and joins what is said twice
// (merge.go). The passes of all tasks over the sources run in one pool (reading.go).
// The summary reads every part of every source; topics in which something was found
// are kept (topics.go), and what code has counted and chosen of the items is its
// overview (digest.go). Only where nothing was extracted the model joins the topics,
// in levels (overview.go, levels.go). The mail is put together from checked items; its
// figures, dates and names are compared with the sources (email.go, translate.go).
//
// What fails a check is kept and marked unconfirmed with a reason (reasons.go);
// coverage.go counts which parts all passes have read. Answers that were cut off or
// loop are asked again, never taken as they are.
//
// The package knows the model only as a [Generator] and imports neither an engine
// nor a user interface. Text of documents goes into Prompt.Part alone, so that it
// is data wherever it came from, and nothing of it is logged. [Run] may be called
// by several goroutines at once; a job belongs to one call. Documents are not
// changed and not kept.
package assistant
