// Package document turns a file into a [Document]: blocks of text in reading
// order, each with the place it came from (line, time, speaker, heading), so
// that a later citation can point back at the file.
//
// A format is one file behind the small reader interface in reader.go, and is
// recognised by content; a file name is only a hint. Text encodings are decided
// over the whole file (encoding.go). Nothing is lost silently: all text of the
// input is in Blocks, in order, or a [Note] says what was left out and how much.
// Speaker labels and times that a format writes as markup are removed from the
// text and kept in [Place].
//
// The package does not interpret meaning, does not touch the network and does
// not log. A Document is owned by the caller; the package keeps no state, so all
// functions are safe for concurrent use. Input is untrusted: sizes are limited,
// and a panic inside a reader becomes an error about that file.
package document

import "time"

// ReaderVersion changes whenever the blocks made from the same bytes change, so
// that stored results can be recognised as stale.
const ReaderVersion = 1

// Block kinds.
const (
	KindHeading   = "heading"
	KindParagraph = "paragraph"
	KindTurn      = "turn" // spoken words of one speaker, or of an unknown one
	KindList      = "list" // one list item, marker kept
	KindTable     = "table"
	KindCode      = "code"
	KindMeta      = "meta" // what a recorder's export says about the recording, before the first turn
)

// Document is the text of one file.
type Document struct {
	Hash            string // sha256 of the raw file bytes, lower-case hex
	ReaderVersion   int
	Kind            string // "txt", "md", "srt", "vtt", "feishu"
	Title           string // first heading, title line or file name
	Date            string // meeting date, YYYY-MM-DD, or ""
	DateFrom        string // "text", "file" or ""
	Encoding        string // name of the charset the bytes were decoded with
	EncodingGuessed bool   // no BOM, not UTF-8, no override: the user may know better
	People          []string
	Blocks          []Block
	Notes           []Note
}

// Block is a piece of text that belongs together: a heading, a paragraph, a
// speaker's turn. Text is valid UTF-8 with "\n" line ends and is never empty.
type Block struct {
	ID    int // index in Document.Blocks
	Text  string
	Kind  string
	Place Place
	Cues  []Cue // times inside the block, by Offset; nil when the file has none
}

// Cue is a timed piece of a block. It runs to the Offset of the next cue, or to
// the end of the text.
type Cue struct {
	Start, End time.Duration // from the start of the recording; End = Start if unknown
	Offset     int           // byte offset in Block.Text
}

// Place is where a block stands in its file.
type Place struct {
	Page       int // 1-based, 0 if the format has no pages
	Line       int // 1-based line of the block's first character
	Start, End time.Duration
	HasTime    bool // Start and End are set
	Speaker    string
	Heading    string // nearest heading above, "" if none
	Part       string // format-specific part (attachment, sheet), "" if none
}

// Note tells what a reader noticed: a code with arguments, for the caller to put
// into words. Every code has "count"; what is counted:
//
//	nul_dropped            NUL characters removed
//	bom_dropped            U+FEFF removed behind the start of the file
//	undecodable            places that became U+FFFD ("encoding": the charset)
//	vtt_header_skipped     metadata lines below WEBVTT
//	vtt_comment_skipped    lines of NOTE, STYLE and REGION blocks
//	bad_cue_time           timing lines that could not be read; their text is kept
//	cue_without_end        cues without an end time
//	empty_cue              cues without text
//	rolling_lines_removed  caption lines that only repeated the cue before
type Note struct {
	Code string
	Args map[string]string
}

// Options say how to read.
type Options struct {
	Name     string    // file name, a hint for format and title
	Encoding string    // overrides detection, e.g. "gb18030"; "" detects
	ModTime  time.Time // the file's time, the last resort for Document.Date
	MaxBytes int64     // 0 means DefaultMaxBytes
}

// DefaultMaxBytes is the largest input read unless Options say otherwise.
const DefaultMaxBytes = 256 << 20
