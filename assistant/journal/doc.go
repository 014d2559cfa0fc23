// Package journal keeps jobs on disk: what was asked of which documents, every pass
// of the model as it ends, and the result. A job that was killed goes on where it
// stopped, with the result of an unbroken run; finished ones can be compared.
//
// A job is a folder jobs/ID in the program's data folder, ID being the time at which
// it began:
//
//	job.json     the [Record]: documents by hash, tasks, settings, model, versions
//	passes       the log of finished passes, while the job is unfinished (log.go)
//	result.json  the run document of a finished job, whatever its tasks
//	lock         held by the process that works on an unfinished job
//
// # Finding a job again
//
// Whoever begins a job looks for an unfinished one of the same identity: a hash over
// all that decides which passes there are and what they answer. It is no part of the
// ID, for the same call may be made again after its job has finished, and the two
// results compared. The length of the context is no part of the identity either, as
// it depends on the memory that is free at the moment and moves only the borders of
// parts: a pass is found by its whole prompt ([Job.Generator]), and one whose part was
// cut elsewhere is asked anew. Answers do not depend on the batch they were computed
// in, so the order in which passes ended does not matter.
//
// A pass is kept when it ended by itself: cancelled and failed ones are not. A job in
// which the model failed on a pass stays unfinished, and the same call asks for what
// is missing.
//
// # What can be lost
//
// A kill loses the passes that were running. A pass is written when it ends, and
// synced to the disk within [syncEvery]: a power cut loses what ended since. Damage in
// the log loses the passes that it touches, never a result: every line has a checksum,
// and what fails it is asked again. When the disk is full or cannot be written the job
// runs on, and says once that it cannot be continued from there.
//
// # Two processes
//
// A job belongs to one process, by a lock that dies with it. A second process with
// the same job keeps one of its own. Where the system has no locks both may append to
// one log, whose lines are written whole; at worst they ask twice.
//
// # Security considerations
//
// Prompts are kept as hashes, but answers quote documents: folders have mode 0700 and
// files 0600. Jobs are removed by [Store.Remove], the oldest of more than [keepFinished]
// finished ones by themselves, and unfinished ones after [keepUnfinished].
//
// A Store and a Job are safe for concurrent use.
package journal
