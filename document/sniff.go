package document

import (
	"bytes"
	"encoding/json"
)

// signature is the start of a format that is recognised only to refuse it well.
type signature struct {
	offset int
	magic  string
	what   string
	advice string
}

// Magic numbers as published by the formats' owners (e.g. ISO 32000 for PDF,
// APPNOTE for zip, MS-CFB for OLE, RFC 1952 for gzip).
var signatures = []signature{
	{0, "%PDF-", "pdf", "export_text"},
	{0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "doc", "export_text"},
	{0, `{\rtf`, "rtf", "export_text"},
	{0, "PK\x05\x06", "zip", "unpack"},
	{0, "7z\xBC\xAF\x27\x1C", "7z", "unpack"},
	{0, "Rar!\x1A\x07", "rar", "unpack"},
	{0, "\x1F\x8B\x08", "gzip", "unpack"},
	{0, "ID3", "mp3", "transcribe"},
	{0, "OggS", "ogg", "transcribe"},
	{0, "fLaC", "flac", "transcribe"},
	{4, "ftyp", "mp4", "transcribe"},
	{8, "WAVE", "wav", "transcribe"},
	{0, "\x1A\x45\xDF\xA3", "mkv", "transcribe"},
	{0, "\x89PNG\r\n\x1A\n", "png", "pick_other"},
	{0, "\xFF\xD8\xFF", "jpeg", "pick_other"},
	{0, "GIF8", "gif", "pick_other"},
	{0, "\x7FELF", "binary", "pick_other"},
	{0, "MZ\x90\x00", "binary", "pick_other"},
	{0, "GGUF", "gguf", "pick_other"},
	{0, "SQLite format 3\x00", "binary", "pick_other"},
}

// zipParts tells office files apart by a name that only they hold.
var zipParts = []signature{
	{0, "word/", "docx", "export_text"},
	{0, "xl/", "xlsx", "export_text"},
	{0, "ppt/", "pptx", "export_text"},
	{0, "mimetypeapplication/vnd.oasis.opendocument", "odt", "export_text"},
	{0, "mimetypeapplication/epub+zip", "epub", "export_text"},
}

// refuse returns an UnsupportedError for known formats that no reader takes.
func refuse(raw []byte) error {
	for _, s := range signatures {
		if len(raw) >= s.offset && bytes.HasPrefix(raw[s.offset:], []byte(s.magic)) {
			return &UnsupportedError{What: s.what, Advice: s.advice}
		}
	}
	if bytes.HasPrefix(raw, []byte("PK\x03\x04")) {
		for _, p := range zipParts {
			if bytes.Contains(raw, []byte(p.magic)) {
				return &UnsupportedError{What: p.what, Advice: p.advice}
			}
		}
		return &UnsupportedError{What: "zip", Advice: "unpack"}
	}
	return refuseMarkup(raw)
}

// refuseMarkup refuses text formats whose markup would drown the words.
func refuseMarkup(raw []byte) error {
	head := bytes.TrimLeft(bytes.TrimPrefix(raw, []byte("\xEF\xBB\xBF")), " \t\r\n")
	if len(head) > 512 {
		head = head[:512]
	}
	low := bytes.ToLower(head)
	switch {
	case bytes.HasPrefix(low, []byte("<!doctype html")), bytes.HasPrefix(low, []byte("<html")):
		return &UnsupportedError{What: "html", Advice: "export_text"}
	case bytes.HasPrefix(low, []byte("<tt ")), bytes.HasPrefix(low, []byte("<?xml")):
		return &UnsupportedError{What: "xml", Advice: "export_text"}
	case len(low) > 0 && (low[0] == '{' || low[0] == '['):
		if json.Valid(bytes.TrimPrefix(raw, []byte("\xEF\xBB\xBF"))) {
			return &UnsupportedError{What: "json", Advice: "export_text"}
		}
	}
	return nil
}
