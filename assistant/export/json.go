package export

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// JSON renders a result for people and programs: indented, one document, with <
// and > as they are. It ends with a line feed.
func JSON(result any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(result); err != nil {
		return nil, fmt.Errorf("export: json: %w", err)
	}
	return b.Bytes(), nil
}
