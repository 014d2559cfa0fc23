package ui

import (
	"encoding/binary"
	"errors"
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
// or nil where the system has none that is known here; Fyne then searches by itself.
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
	info, err := os.Stat(path)
	if err != nil || info.IsDir() || info.Size() > maxFontBytes {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	face, err := extractFace(data, index)
	if err != nil {
		return nil
	}
	return face
}

var errFont = errors.New("ui: not a usable font file")

// extractFace returns one face of a font collection as a font file of its own, and
// any other font file as it is: Fyne loads the first face only.
// Source: OpenType 1.9.1, "Organization of an OpenType font", TTC header.
func extractFace(data []byte, index int) ([]byte, error) {
	if len(data) < 12 {
		return nil, errFont
	}
	if string(data[:4]) != "ttcf" {
		return data, nil
	}
	be := binary.BigEndian
	numFonts := int(be.Uint32(data[8:]))
	if index >= numFonts || 12+4*(index+1) > len(data) {
		return nil, errFont
	}
	start := int(be.Uint32(data[12+4*index:]))
	if start < 0 || start+tableStart > len(data) {
		return nil, errFont
	}
	numTables := int(be.Uint16(data[start+4:]))
	dirEnd := tableStart + numTables*tableRecord
	if start+dirEnd > len(data) {
		return nil, errFont
	}
	out := append(make([]byte, 0, len(data)/2), data[start:start+dirEnd]...)
	for i := range numTables {
		rec := tableStart + i*tableRecord
		off, n := int(be.Uint32(out[rec+8:])), int(be.Uint32(out[rec+12:]))
		if off < 0 || n < 0 || off > len(data)-n {
			return nil, errFont
		}
		be.PutUint32(out[rec+8:], uint32(len(out)))
		out = append(out, data[off:off+n]...)
		for len(out)%4 != 0 {
			out = append(out, 0)
		}
	}
	return out, nil
}

const (
	tableStart  = 12 // the table records follow the font's head
	tableRecord = 16 // tag, checksum, offset, length
)
