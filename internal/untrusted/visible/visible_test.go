package visible

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"x = 1 // ä 日本 \\n\t→":  "x = 1 // ä 日本 \\n\t→",
		"\x1b[2Jx":              `\x1b[2Jx`,
		"\x1b]0;t\a":            `\x1b]0;t\x07`,
		"a\u009b2Jb":            `a\u009b2Jb`,
		"a\x9b2Jb":              `a\x9b2Jb`,
		"a\u202eb\u2066c\u200f": `a\u202eb\u2066c\u200f`,
		"a\u200bb\ufeff\u2028":  `a\u200bb\ufeff\u2028`,
		"a\nb\r":                `a\nb\r`,
		"\x7f\x00":              `\x7f\x00`,
		"\U000e0001":            `\U000e0001`,
	} {
		if got := Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Text("a\nb\x1b\r\n"); got != "a\nb\\x1b\\r\n" {
		t.Errorf("Text: %q", got)
	}
}

func TestSprintf(t *testing.T) {
	type kind string
	got := Sprintf("\x1b[1m%s %s %s %v %d %s %v\n", "a\nb", kind("\x1b"), Block("c\nd\x1b"), errors.New("e\nf\x1b"), 7, time.Second, nil)
	want := "\x1b[1m" + `a\nb \x1b ` + "c\nd" + `\x1b e` + "\nf" + `\x1b 7 1s <nil>` + "\n"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCopy(t *testing.T) {
	type inner struct{ S string }
	type message struct {
		S    string
		P    *inner
		None *inner
		L    []inner
		M    map[string]int
		N    int
		hid  string
	}
	in := &message{S: "\x1b", P: &inner{"a\nb"}, L: []inner{{"\u202e"}}, M: map[string]int{"\x1b": 1}, N: 2, hid: "h"}
	out := Copy(in)
	want := &message{S: `\x1b`, P: &inner{`a\nb`}, L: []inner{{`\u202e`}}, M: map[string]int{`\x1b`: 1}, N: 2, hid: "h"}
	if d := cmp.Diff(want, out, cmp.AllowUnexported(message{})); d != "" {
		t.Error(d)
	}
	if in.S != "\x1b" || in.P.S != "a\nb" {
		t.Error("the message itself has changed")
	}
}

// FuzzLine: what comes out has nothing that a terminal obeys, and is left alone the second time.
func FuzzLine(f *testing.F) {
	f.Add("\x1b[2Jä\n\x9b")
	f.Fuzz(func(t *testing.T, s string) {
		out := Line(s)
		if !utf8.ValidString(out) || strings.IndexFunc(out, func(r rune) bool { return r != '\t' && hidden(r) }) >= 0 || Line(out) != out {
			t.Errorf("%q becomes %q", s, out)
		}
	})
}

// TestWriter: a character that is written in two pieces is one.
func TestWriter(t *testing.T) {
	var out strings.Builder
	w := NewWriter(&out)
	for _, s := range []string{"a\xc3", "\xa4\x1b\nb", "\u202e\nc", "\x9b"} {
		if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if want := "aä\\x1b\nb\\u202e\nc\\x9b"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
