package gotest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/report"
)

var update = flag.Bool("update", false, "rewrite the streams that are wanted")

// TestStream puts races into streams. An archive of testdata has
//
//	stream  what go test prints, in short: action, package, test, and what follows, an output as a
//	        Go string; a line that is none of this stands as it is
//	races   a line for each race: its name, and its tests as package, package:test or
//	        package:test:run; with "in" and a function behind it, a race of no known test
//	want    what is printed in the end, and a line of dashes behind what is printed at once
func TestStream(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("no archives in testdata")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { testStream(t, file) })
	}
}

func testStream(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, f := range ar.Files {
		text[f.Name] = string(f.Data)
	}
	var out bytes.Buffer
	s := New(&out, func(races []*report.Race) (text string) {
		for _, r := range races {
			text += "DATA RACE on " + r.Object + "\n  and more\n\n"
		}
		return text
	})
	in := long(t, text["stream"])
	for i := 0; i < len(in); i += 7 { // not by lines
		if _, err := s.Write(in[i:min(i+7, len(in))]); err != nil {
			t.Fatal(err)
		}
	}
	live := out.Len()
	h := s.Handler()
	for line := range strings.Lines(text["races"]) {
		if err := h.Race(race(t, line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(h.Summary(nil), s.End(nil)); err != nil {
		t.Fatal(err)
	}
	lawful(t, in, out.Bytes())
	got := short(t, out.Bytes()[:live]) + "---\n" + short(t, out.Bytes()[live:])
	if *update {
		ar.Files = []txtar.File{{Name: "stream", Data: []byte(text["stream"])}, {Name: "races", Data: []byte(text["races"])}, {Name: "want", Data: []byte(got)}}
		if err := os.WriteFile(file, txtar.Format(ar), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(text["want"], got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func race(t *testing.T, line string) *report.Race {
	f := strings.Fields(line)
	r := &report.Race{Object: f[0]}
	if len(f) == 3 && f[1] == "in" {
		r.A.Func = f[2]
		return r
	}
	for _, word := range f[1:] {
		in := strings.Split(word, ":")
		x := report.Test{Package: in[0]}
		if len(in) > 1 {
			x.Name = in[1]
		}
		if len(in) > 2 {
			n, err := strconv.Atoi(in[2])
			if err != nil {
				t.Fatal(err)
			}
			x.Run = n
		}
		r.Tests = append(r.Tests, x)
	}
	return r
}

// field is an event as tests see it.
type field struct {
	Time, Action, Package, Test string
	Elapsed                     *float64 `json:",omitempty"`
	Output                      string   `json:",omitempty"`
}

// long makes a stream of its short form. Its times are the numbers of its lines.
func long(t *testing.T, text string) []byte {
	var b bytes.Buffer
	n := 0
	for line := range strings.Lines(text) {
		n++
		w := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if len(w) < 3 {
			b.WriteString(line)
			continue
		}
		m := made{Time: json.RawMessage(strconv.Quote(strconv.Itoa(n))), Action: w[0], Package: w[1], Test: strings.TrimPrefix(w[2], "-")}
		switch w[0] {
		case "output":
			var err error
			if m.Output, err = strconv.Unquote(w[3]); err != nil {
				t.Fatalf("%s: %v", w[3], err)
			}
		case "pass", "fail", "skip":
			m.Elapsed = new(float64)
		}
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(data, '\n'))
	}
	return b.Bytes()
}

// short is the short form of a stream.
func short(t *testing.T, stream []byte) (text string) {
	for line := range bytes.Lines(stream) {
		var e field
		if err := json.Unmarshal(line, &e); err != nil || e.Package == "" {
			text += string(line)
			continue
		}
		if e.Test == "" {
			e.Test = "-"
		}
		text += e.Action + " " + e.Package + " " + e.Test
		if e.Output != "" {
			text += " " + strconv.Quote(e.Output)
		}
		text += "\n"
	}
	return text
}

// lawful checks what readers of a stream rely on, as far as it holds of what go test prints: a run
// of a test has one end, nothing of it follows, and the ends of its subtests come before. A package
// fails if one of its tests does, and has one end. And without the lines that were added or
// changed, the events of each package are those of go test.
func lawful(t *testing.T, in, out []byte) {
	t.Helper()
	running, begun, failed := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for line := range bytes.Lines(out) {
		var e field
		if json.Unmarshal(line, &e) != nil || e.Package == "" {
			continue
		}
		key := e.Package + ":" + e.Test
		switch e.Action {
		case "start", "run":
			running[key], begun[key] = true, true
		case "pass", "fail", "skip":
			if !running[key] {
				t.Errorf("no run of %s has this end: %s", key, line)
			}
			delete(running, key)
			for in := range begun {
				if strings.HasPrefix(key, in+"/") && !running[in] {
					t.Errorf("%s ends before %s", in, key)
				}
			}
			if failed[e.Package] = failed[e.Package] || e.Action == "fail"; e.Test == "" && failed[e.Package] != (e.Action == "fail") {
				t.Errorf("a package with a failed test: %s", line)
			}
		default:
			if !running[key] {
				t.Errorf("not of a running test: %s", line)
			}
		}
	}
	before, after := events(in), events(out)
	for p, list := range before {
		i := 0
		for _, e := range after[p] {
			if i < len(list) && e == list[i] {
				i++
			}
		}
		if i < len(list) {
			t.Errorf("%s lacks, or has too early, %v", p, list[i])
		}
	}
}

// events are the events of each package, without what may become a failure.
func events(stream []byte) map[string][]field {
	all := map[string][]field{}
	for line := range bytes.Lines(stream) {
		var e field
		if json.Unmarshal(line, &e) != nil {
			continue
		}
		if e.Elapsed = nil; e.Action == "pass" || e.Action == "skip" {
			e.Action = "fail"
		}
		for old, new := range map[string]string{"--- PASS": "--- FAIL", "--- FAIL": "--- FAIL", "--- SKIP": "--- FAIL", "PASS\n": "FAIL\n", "ok  \t": "FAIL\t"} {
			if rest, ok := strings.CutPrefix(strings.TrimLeft(e.Output, " "), old); ok {
				e.Output = new + rest
			}
		}
		all[e.Package] = append(all[e.Package], e)
	}
	return all
}

// TestWriteError: what cannot be printed is an error, of Write and of End.
func TestWriteError(t *testing.T) {
	s := New(full{}, nil)
	if n, err := s.Write([]byte("{\"Action\":\"start\",\"Package\":\"a\"}\n")); n == 0 || err == nil {
		t.Error("no error of Write")
	}
	if s.End(nil) == nil {
		t.Error("no error of End")
	}
}

// full is a disk that is full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }
