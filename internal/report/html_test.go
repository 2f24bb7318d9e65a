package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// pageData is what a page has of its report: the data, indented, and the plain list. The rest of
// the page is the same for each report.
func pageData(t *testing.T, page []byte) []byte {
	t.Helper()
	part := func(begin, end string) []byte {
		_, rest, ok := bytes.Cut(page, []byte(begin))
		in, _, found := bytes.Cut(rest, []byte(end))
		if !ok || !found {
			t.Fatalf("no %s in the page", begin)
		}
		return in
	}
	var out bytes.Buffer
	if err := json.Indent(&out, part(`<script type="application/json" id="data">`, "</script>"), "", "\t"); err != nil {
		t.Fatal(err)
	}
	lists := regexp.MustCompile(`\[\s+(?:-?\d+,\s+)*-?\d+\s+\]`)
	short := lists.ReplaceAllFunc(out.Bytes(), func(list []byte) []byte {
		return bytes.ReplaceAll(bytes.Join(bytes.Fields(list), nil), []byte(","), []byte(", "))
	})
	out = *bytes.NewBuffer(short)
	out.WriteString("\n" + strings.TrimSpace(string(part("<noscript>", "</noscript>"))) + "\n")
	return out.Bytes()
}

// nasty is text that would end a script, an attribute or a comment, or turn text around.
const nasty = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>{{script}}<!--\u202e\u0000\u2028]]>"

// TestPageEscapes: no text of a report becomes markup, in the data or in the plain list.
func TestPageEscapes(t *testing.T) {
	var out bytes.Buffer
	h := NewHTML(&out, TextOptions{})
	at := Position{nasty, 1, 1}
	g := Goroutine{ID: 2, Name: nasty, Func: nasty, Created: []Frame{{nasty, at}}}
	access := Access{Position: at, Kind: nasty, Expr: nasty, Func: nasty, Goroutine: g, Stack: []Frame{{nasty, at}}, Locks: []Lock{{nasty, "lock", at}}, Source: nasty}
	step := Step{Event: 1, Goroutine: 2, Position: at, Func: nasty, Text: nasty, Source: nasty, Held: []string{nasty}}
	h.Config(&Config{Command: []string{nasty}, Dir: nasty})
	h.Warning(&Warning{Text: nasty})
	h.Guard(&Guard{Position: at, Memory: nasty})
	h.Race(&Race{ID: "a", Tier: Predicted, Object: nasty, A: access, B: access, Hidden: Hidden{Ordered: true, Edges: []Edge{{From: step, To: step, Broken: true}}},
		Paths: []*Path{{Expr: nasty, Was: nasty, Source: nasty}}, Replay: &Replay{Report: nasty}, Seen: &Occurrence{Last: nasty}, Trace: nasty,
		Witness: &Witness{Semantics: nasty, Order: []int64{1, 1}, Steps: []Step{step, step}, Reads: []Sight{{Step: step, Value: nasty, From: &step}}}})
	h.StaticWarning(&StaticWarning{ID: "b", A: access, B: access, Object: nasty, Likelihood: nasty, Vet: Vet{Missing: []Reason{{nasty, nasty}}, Because: nasty, Mark: nasty}})
	if err := h.Summary(&Summary{}); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, bad := range []string{"<script>alert", "<img", "\u202e", "\u0000", "\u2028", "]]>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	style, script := htmlParts()
	for tag, n := range map[string]int{"<script": 2, "</script": 2, "<style": 1, "</style": 1, "<noscript": 1, "</noscript": 1, "<!--": 0} {
		if got := strings.Count(page, tag); got != n {
			t.Errorf("%d of %s, want %d", got, tag, n)
		}
	}
	if !strings.Contains(page, "<style>"+style+"</style>") || !strings.Contains(page, "<script>"+script+"</script>") {
		t.Error("the style or the script is not what the policy has the hash of")
	}
}

// TestPageScript: the script makes no markup of text, and knows the parts of the page.
func TestPageScript(t *testing.T) {
	_, script := htmlParts()
	for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "</", "<!--", "http://", "https://"} {
		if strings.Contains(strings.ReplaceAll(script, "http://www.w3.org/2000/svg", ""), bad) {
			t.Errorf("the script has %s", bad)
		}
	}
	if style, _ := htmlParts(); regexp.MustCompile(`url\(|@import|expression\(`).MatchString(style) {
		t.Error("the style loads something")
	}
}

// TestPageSize: with many findings, long schedules and long names a page stays small, and says what
// it leaves out.
func TestPageSize(t *testing.T) {
	long := strings.Repeat("long", 5000)
	var out bytes.Buffer
	h := NewHTML(&out, TextOptions{})
	for i := range 500 {
		at := Position{fmt.Sprintf("/src/%d/%s.go", i, long), i, 1}
		access := Access{Position: at, Kind: "write", Expr: long, Func: fmt.Sprint(long, i), Stack: []Frame{{long, at}}}
		r := &Race{ID: fmt.Sprint(i), Tier: Predicted, Object: fmt.Sprint("x", i, long), A: access, B: access, Witness: &Witness{}, Replay: &Replay{Report: long}}
		r.A.Event, r.B.Event = 19998, 19999
		n := 100
		if i%50 == 0 {
			n = 10000
		}
		for k := range n {
			r.Witness.Steps = append(r.Witness.Steps, Step{Event: int64(k + 20000 - n), Goroutine: k % 9, Position: Position{"/src/a.go", k % 300, 1}, Text: "locks mu", Source: fmt.Sprintf("line %d of %d", k%300, i)})
		}
		h.Race(r)
	}
	if err := h.Summary(&Summary{}); err != nil {
		t.Fatal(err)
	}
	if n := out.Len(); n > 5<<20 {
		t.Errorf("%d bytes", n)
	}
	for _, said := range []string{" findings is left out, to keep this page small", "characters more", "Left out to keep this page small", `"cut":`} {
		if !strings.Contains(out.String(), said) {
			t.Errorf("the page does not say %q", said)
		}
	}
	t.Logf("%d bytes", out.Len())
}
