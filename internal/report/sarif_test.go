package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// hostile is a race whose names have what each form gives a meaning.
func hostile(n int) *Race {
	name := "x\x1b[31m]]>::error::%0A|`*</summary><script>\n\"'&\u202e"
	at := Position{"/src/a b%/" + name + ".go", n + 1, 3}
	r := &Race{ID: fmt.Sprint(n), Tier: Confirmed, Object: name, A: Access{Position: at, Kind: "write", Expr: name}, B: Access{Position: Position{"/elsewhere/b.go", 2, 0}, Kind: "read", Goroutine: Goroutine{ID: 2}}}
	r.Witness = &Witness{}
	steps := 200
	if n == 0 {
		steps = 10_000
	}
	for i := range steps {
		r.Witness.Steps = append(r.Witness.Steps, Step{Event: int64(i), Goroutine: i % 2 * 2, Position: at, Text: name})
	}
	return r
}

func printed(t *testing.T, format string, races int) string {
	t.Helper()
	for _, f := range Formats {
		if f.Name != format {
			continue
		}
		var b bytes.Buffer
		h := f.New(&b, TextOptions{Dir: "/src"})
		h.Config(&Config{Dir: "/src", Version: "v1"})
		h.Warning(&Warning{Code: "w", Text: "a\nb"})
		for i := range races {
			h.Race(hostile(i))
		}
		if err := h.Summary(&Summary{Races: races}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	t.Fatalf("there is no format %s", format)
	return ""
}

// TestSARIF validates logs by the schema, and bounds that of many races with long witnesses.
func TestSARIF(t *testing.T) {
	for _, n := range []int{0, 1, 500} {
		text := printed(t, "sarif", n)
		log, err := sarif.FromBytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if n < 10 {
			if err := log.Validate(); err != nil {
				t.Errorf("%d races: %v", n, err)
			}
		}
		if got := len(log.Runs[0].Results); got != n {
			t.Errorf("%d results of %d races", got, n)
		}
		// code scanning takes 10 MB, compressed
		if len(text) > 50<<20 {
			t.Errorf("%d bytes for %d races", len(text), n)
		}
	}
}

// TestJUnit reads what is written.
func TestJUnit(t *testing.T) {
	var got junitSuites
	if err := xml.Unmarshal([]byte(printed(t, "junit", 2)), &got); err != nil {
		t.Fatal(err)
	}
	if s := got.Suite; s.Tests != 3 || s.Failures != 2 || s.Errors != 0 || len(s.Cases) != 3 || !strings.Contains(s.Cases[0].Failure.Text, "]]>::error") {
		t.Errorf("%+v", s)
	}
}

// TestGitHub: a name cannot begin a command of its own.
func TestGitHub(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(printed(t, "github", 2)), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines, not 3", len(lines))
	}
	for _, l := range lines[:2] {
		if !strings.HasPrefix(l, "::error file=a b%25/x") || strings.Contains(l, "\x1b") {
			t.Errorf("%q", l)
		}
	}
}

// TestMarkdown: a name cannot end what is folded, nor begin HTML.
func TestMarkdown(t *testing.T) {
	text := printed(t, "markdown", 1)
	before, _, _ := strings.Cut(text, "```")
	if strings.Contains(before, "<script>") || strings.Count(text, "\n| ") != 2 {
		t.Errorf("%s", before)
	}
}
