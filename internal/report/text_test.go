package report

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/untrusted/visible"
)

var update = flag.Bool("update", false, "rewrite the golden texts")

// TestFormats prints recorded reports. Each archive of testdata has report.jsonl, and what it gives
// in some formats, each by the name of the format. Every format has an archive.
func TestFormats(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives in testdata", err)
	}
	seen := map[string]bool{"json": true, "gotrace": true} // TestRoundTrip, TestGoTrace
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { testFormats(t, file, seen) })
	}
	for _, f := range Formats {
		if !seen[f.Name] {
			t.Errorf("no archive has a file %s", f.Name)
		}
	}
}

func testFormats(t *testing.T, file string, seen map[string]bool) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const from = "report.jsonl"
	i := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == from })
	for j := range ar.Files {
		want := &ar.Files[j]
		k := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == want.Name })
		if k < 0 {
			if want.Name != from {
				t.Errorf("no format has the name %s", want.Name)
			}
			continue
		}
		seen[want.Name] = true
		var out bytes.Buffer
		if err := HandleJSON(bytes.NewReader(ar.Files[i].Data), Formats[k].New(&out, TextOptions{Dir: "/src"})); err != nil {
			t.Fatal(err)
		}
		if want.Name == "html" {
			out = *bytes.NewBuffer(pageData(t, out.Bytes()))
		}
		if *update {
			want.Data = out.Bytes()
		} else if diff := cmp.Diff(string(want.Data), out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Name, diff)
		}
	}
	if !slices.ContainsFunc(ar.Files, func(f txtar.File) bool { return f.Name == "details" }) {
		t.Error("no file details")
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(ar), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRoundTrip: the JSON form read and written again is the same, byte for byte.
func TestRoundTrip(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if f.Name != "report.jsonl" {
				continue
			}
			var out bytes.Buffer
			if err := HandleJSON(bytes.NewReader(f.Data), NewJSON(&out)); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			if diff := cmp.Diff(string(f.Data), out.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		}
	}
}

// TestDecode: what is not a report is an error with the number of the message; what a later v1 adds
// is skipped.
func TestDecode(t *testing.T) {
	for _, test := range []struct{ name, in, err string }{
		{"not JSON", "races: 3\n", "reading message 1"},
		{"cut short", `{"progress":{"text":"x"}}` + "\n" + `{"race":{"id":`, "reading message 2"},
		{"later protocol", `{"config":{"protocol_version":"v2.0.0"}}`, `protocol version "v2.0.0"`},
		{"a message of a later v1", `{"config":{"protocol_version":"v1.7.0"}}` + "\n" + `{"hint":{}}`, ""},
		{"empty", "", ""},
		{"a byte-order mark", "\ufeff" + `{"config":{"protocol_version":"v1.7.0"}}` + "\r\n" + `{"hint":{}}` + "\r\n", ""},
		{"a mark inside", `{"config":{"protocol_version":"v1.7.0"}}` + "\n\ufeff" + `{"hint":{}}`, "reading message 2"},
		{"more behind it", `{"config":{"protocol_version":"v1.7.0"}}` + "\nx", "reading message 2"},
		{"the path of v1.0", `{"race":{"id":"a","path":{"goroutine":6,"was":"1","is":"0","before":9,"steps":[{"event":-1}]}}}`, ""},
		{"an ID that is a path", `{"race":{"id":"../x"}}`, `"../x" is not the ID of a race`},
	} {
		var out bytes.Buffer
		err := HandleJSON(strings.NewReader(test.in), NewDetails(&out, TextOptions{}))
		if strings.Contains(test.in, `"path"`) && !strings.Contains(out.String(), "Goroutine 6 leaves its recorded path") {
			t.Errorf("%s: %s", test.name, out.String())
		}
		if got := err != nil; got != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.err)
		}
	}
}

// TestSet follows (RT3).
func TestSet(t *testing.T) {
	race := func(tier Tier, la, lb int, ka, kb string, order int) Race {
		return Race{Tier: tier, Object: "x", Witness: &Witness{Order: make([]int64, order)},
			A: Access{Position: Position{"a.go", la, 1}, Kind: ka, Expr: "x", Func: "f"},
			B: Access{Position: Position{"a.go", lb, 1}, Kind: kb, Expr: "x", Func: "g"}}
	}
	var s Set
	s.Add(race(Predicted, 20, 10, "read", "write", 9)) // the same pair, the other way round
	s.Add(race(Predicted, 10, 20, "write", "read", 5))
	s.Add(race(Predicted, 10, 20, "write", "read", 7))
	s.Add(race(Observed, 30, 40, "write", "write", 3))
	s.Add(race(Predicted, 30, 40, "write", "write", 2)) // the stronger tier stays
	s.Add(race(Predicted, 10, 50, "write", "read", 5))
	type row struct {
		tier         Tier
		a, b, n, len int
	}
	var got []row
	for _, r := range s.Races() {
		got = append(got, row{r.Tier, r.A.Line, r.B.Line, r.Count, len(r.Witness.Order)})
	}
	want := []row{{Observed, 30, 40, 2, 3}, {Predicted, 10, 20, 3, 5}, {Predicted, 10, 50, 1, 5}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Errorf("races (-want +got):\n%s", diff)
	}
	ids := make(map[string]bool)
	for _, r := range s.Races() {
		ids[r.ID] = true
	}
	if len(ids) != 3 {
		t.Errorf("ids are not distinct: %v", ids)
	}

	var moved Set // an edit above: lines change, the id does not
	moved.Add(race(Predicted, 111, 121, "write", "read", 5))
	if a, b := moved.Races()[0].ID, s.Races()[1].ID; a != b {
		t.Errorf("id %s after an edit elsewhere, before %s", a, b)
	}
}

func TestOperand(t *testing.T) {
	for in, want := range map[string]string{
		"mu.Lock()": "mu", "c.mu.RUnlock()": "c.mu", "<-ch": "ch", "ch <- f(x)": "ch", "close(s.done)": "s.done",
		"wg.Add(len(xs))": "wg", "once.Do(func() { … })": "once", "x": "x", "": "",
	} {
		if got := operand(in); got != want {
			t.Errorf("operand(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzHandleJSON: any bytes are an error, or a report that can be printed and written again. What
// is printed has nothing that a terminal obeys.
func FuzzHandleJSON(f *testing.F) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		f.Fatal("no test data", err)
	}
	for _, name := range names {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			if filepath.Ext(file.Name) == ".jsonl" {
				f.Add(file.Data)
			}
		}
	}
	f.Add([]byte(`{"race":{"id":"a","tier":"predicted","witness":{"order":[0,1],"steps":[{}],"reads":[{}]},"path":{"steps":[{}]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var again bytes.Buffer
		printed := make([]bytes.Buffer, len(Formats))
		all := []Handler{NewJSON(&again)}
		for i, f := range Formats {
			all = append(all, f.New(&printed[i], TextOptions{}))
		}
		if HandleJSON(bytes.NewReader(data), Tee(all...)) != nil {
			return
		}
		for i, f := range Formats {
			if s := printed[i].String(); visible.Text(s) != s && f.Name != "json" && f.Name != "gotrace" {
				t.Errorf("%s: printed: %q", f.Name, s)
			}
		}
		if err := HandleJSON(&again, NewDetails(io.Discard, TextOptions{})); err != nil {
			t.Errorf("not read again: %v", err)
		}
	})
}
