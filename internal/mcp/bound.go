package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/presage-race/presage/internal/plural"
	"github.com/presage-race/presage/internal/untrusted/visible"
)

// Bounds of answers.
const (
	maxText   = 24_000 // bytes of the text
	maxJSON   = 48_000 // of the JSON
	maxName   = 300    // of a name or a source line
	maxOutput = 8_000  // of what a program or the race detector has printed
	mostItems = 64     // of a list inside an answer; fewer, if the answer is too long then
)

// clip shortens a text to about a number of bytes, and says so.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + fmt.Sprintf("… (%s left out)", plural.Of(len(s)-most, "byte"))
}

// leftOut says that a list of an answer is shorter than that of the report.
type leftOut struct {
	List  string `json:"list"` // the names that lead to it
	Items int    `json:"items"`
}

// numbers are lists that only presage replay reads. Answers leave them out.
var numbers = []string{"order", "events"}

// fromBehind are lists of which the end matters.
var fromBehind = []string{"steps", "schedule"}

// outputs are texts of several lines.
var outputs = []string{"report"}

// bounded returns a value as its JSON has it, without active characters, and short enough for an
// answer. The member left_out lists what is missing.
func bounded(v any) (map[string]any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var tree map[string]any
	if err := dec.Decode(&tree); err != nil {
		return nil, err
	}
	for most := mostItems; ; most /= 2 {
		b := bound{most: most}
		out := b.value("", "", tree).(map[string]any)
		if b.left != nil {
			out["left_out"] = b.left
		}
		if short, err := json.Marshal(out); err != nil || len(short) <= maxJSON {
			return out, err
		}
		if most == 0 {
			return nil, fmt.Errorf("the answer is longer than %d bytes", maxJSON)
		}
	}
}

// bound shortens a tree of JSON.
type bound struct {
	most int // items of a list
	left []leftOut
}

// value returns a value, shortened. name is that of the member that has it, path leads to it.
func (b *bound) value(path, name string, v any) any {
	switch v := v.(type) {
	case string:
		if slices.Contains(outputs, name) {
			return visible.Text(clip(v, maxOutput))
		}
		return visible.Line(clip(v, maxName))
	case []any:
		return b.list(path, name, v)
	case map[string]any:
		out := make(map[string]any, len(v))
		keys := slices.Sorted(maps.Keys(v))
		if n := len(keys) - b.most; len(keys) > mostItems { // no message has so many members
			b.left = append(b.left, leftOut{path, n})
			keys = keys[:b.most]
		}
		for _, k := range keys {
			out[visible.Line(clip(k, maxName))] = b.value(join(path, k), k, v[k])
		}
		return out
	}
	return v
}

// list returns a list, shortened.
func (b *bound) list(path, name string, list []any) any {
	most := b.most
	if slices.Contains(numbers, name) {
		most = 0
	}
	if n := len(list) - most; n > 0 {
		b.left = append(b.left, leftOut{path, n})
		if slices.Contains(fromBehind, name) {
			list = list[n:]
		} else {
			list = list[:most]
		}
	}
	out := []any{}
	for _, x := range list {
		out = append(out, b.value(path, name, x))
	}
	return out
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
