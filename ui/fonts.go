package ui

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// fontFile names a font of the system that covers Chinese and Latin. Index picks the
// simplified Chinese face of a collection: the first one is often the Japanese.
type fontFile struct {
	regular, bold string // bold may be "": the regular one is used
	index         int
}

// systemFonts lists fonts by system, best first. Names are relative to fontFolders.
func systemFonts() []fontFile {
	switch runtime.GOOS {
	case "windows":
		return []fontFile{
			{"msyh.ttc", "msyhbd.ttc", 0},
			{"Deng.ttf", "Dengb.ttf", 0},
			{"simhei.ttf", "", 0},
			{"simsun.ttc", "", 0},
		}
	case "darwin", "ios":
		return []fontFile{
			{"Hiragino Sans GB.ttc", "", 0},
			{"STHeiti Light.ttc", "STHeiti Medium.ttc", 1},
			{"Supplemental/Songti.ttc", "", 0},
		}
	}
	return []fontFile{
		{"opentype/noto/NotoSansCJK-Regular.ttc", "opentype/noto/NotoSansCJK-Bold.ttc", notoSC},
		{"noto-cjk/NotoSansCJK-Regular.ttc", "noto-cjk/NotoSansCJK-Bold.ttc", notoSC},
		{"google-noto-cjk/NotoSansCJK-Regular.ttc", "google-noto-cjk/NotoSansCJK-Bold.ttc", notoSC},
		{"google-noto-sans-cjk-fonts/NotoSansCJK-Regular.ttc", "google-noto-sans-cjk-fonts/NotoSansCJK-Bold.ttc", notoSC},
		{"NotoSansCJK-Regular.ttc", "", notoSC}, // Android
		{"NotoSansSC-Regular.otf", "NotoSansSC-Bold.otf", 0},
		{"adobe-source-han-sans/SourceHanSansCN-Regular.otf", "adobe-source-han-sans/SourceHanSansCN-Bold.otf", 0},
		{"truetype/wqy/wqy-microhei.ttc", "", 0},
		{"truetype/wqy/wqy-zenhei.ttc", "", 0},
		{"truetype/droid/DroidSansFallbackFull.ttf", "", 0},
	}
}

// notoSC is the place of the simplified Chinese face in Noto's collections: JP, KR,
// SC, TC, HK. Source: the name tables of NotoSansCJK-Regular.ttc 2.004.
const notoSC = 2

// fontFolders lists where the system keeps fonts.
func fontFolders() []string {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	switch runtime.GOOS {
	case "windows":
		return []string{
			filepath.Join(os.Getenv("WINDIR"), "Fonts"),
			filepath.Join(os.Getenv("LOCALAPPDATA"), "Microsoft", "Windows", "Fonts"),
		}
	case "darwin", "ios":
		return []string{"/System/Library/Fonts", "/Library/Fonts", filepath.Join(home, "Library/Fonts")}
	case "android":
		return []string{"/system/fonts"}
	}
	return []string{"/usr/share/fonts", "/usr/local/share/fonts", filepath.Join(home, ".local/share/fonts"), filepath.Join(home, ".fonts")}
}

// findFonts returns the bytes of a regular and a bold font face that cover Chinese,
// or nil where the system has none that is known here.
func findFonts(folders []string, files []fontFile) (regular, bold []byte) {
	for _, f := range files {
		for _, dir := range folders {
			regular = readFace(filepath.Join(dir, filepath.FromSlash(f.regular)), f.index)
			if regular == nil {
				continue
			}
			if f.bold != "" {
				bold = readFace(filepath.Join(dir, filepath.FromSlash(f.bold)), f.index)
			}
			return regular, bold
		}
	}
	return nil, nil
}

// maxFontBytes bounds what is read as a font; the largest known is 20 MB.
const maxFontBytes = 64 << 20

func readFace(path string, index int) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFontBytes {
		return nil
	}
	face, err := extractFace(f, info.Size(), index)
	if err != nil {
		return nil
	}
	return face
}

var errFont = errors.New("ui: not a usable font file")

// extractFace returns one face of a font collection of size bytes as a font file of
// its own, and any other font file as it is: Fyne loads the first face only.
// Source: OpenType 1.9.1, "Organization of an OpenType font", TTC header.
func extractFace(r io.ReaderAt, size int64, index int) ([]byte, error) {
	head, err := readRange(r, size, 0, ttcHead)
	if err != nil {
		return nil, err
	}
	if string(head[:4]) != "ttcf" {
		return readRange(r, size, 0, size)
	}
	be := binary.BigEndian
	if index < 0 || int64(index) >= int64(be.Uint32(head[8:])) {
		return nil, errFont
	}
	entry, err := readRange(r, size, ttcHead+4*int64(index), 4)
	if err != nil {
		return nil, err
	}
	start := int64(be.Uint32(entry))
	fontHead, err := readRange(r, size, start, tableStart)
	if err != nil {
		return nil, err
	}
	numTables := int(be.Uint16(fontHead[4:]))
	out, err := readRange(r, size, start, tableStart+int64(numTables)*tableRecord)
	if err != nil {
		return nil, err
	}
	for i := range numTables {
		rec := tableStart + i*tableRecord
		table, err := readRange(r, size, int64(be.Uint32(out[rec+8:])), int64(be.Uint32(out[rec+12:])))
		if err != nil || len(out)+len(table) > maxFontBytes {
			return nil, errFont
		}
		be.PutUint32(out[rec+8:], uint32(len(out)))
		out = append(out, table...)
		for len(out)%4 != 0 {
			out = append(out, 0)
		}
	}
	return out, nil
}

// readRange reads n bytes from offset on, all of which the file must hold.
func readRange(r io.ReaderAt, size, offset, n int64) ([]byte, error) {
	if offset < 0 || n < 0 || n > size || offset > size-n {
		return nil, errFont
	}
	b := make([]byte, n)
	if _, err := r.ReadAt(b, offset); err != nil {
		return nil, errFont
	}
	return b, nil
}

const (
	ttcHead     = 12 // "ttcf", version, number of fonts; their offsets follow
	tableStart  = 12 // the table records follow the font's head
	tableRecord = 16 // tag, checksum, offset, length
)
