package audit

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/record/recorder"
)

//go:embed testdata/program.txtar
var archive []byte

// TestAudit runs a program whose outside code writes memory with hooks and without.
func TestAudit(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped by -short: builds the standard library with the recorder inside")
	}
	dir := t.TempDir()
	for _, f := range txtar.Parse(archive).Files {
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := session.New(t.Context(), filepath.Join(dir, "session"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		racy  bool
		found string // the mismatch: reader, what was recorded, writer, what was read
	}{
		{"clean", false, ""},
		{"racy", true, ""},
		{"reused", false, ""},
		{"norace", false, "outside.norace 0x1 outside.norace 0x2"},
		{"assembly", false, "outside.assembly 0x1 outside.assembly 0x3"},
		{"assembly, part", false, "outside.part 0x1 outside.part 0x400000000000001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := &suite{name: "program", args: []string{".", c.name}}
			got, err := u.recorded(t.Context(), s, filepath.Join(dir, "app"), "run", false)
			if err != nil {
				t.Fatal(err)
			}
			if got.failed || got.compared == 0 || got.racy > 0 != c.racy {
				t.Errorf("failed %v, %d reads compared, %d racy", got.failed, got.compared, got.racy)
			}
			var found []string
			for _, m := range got.mismatches() {
				found = append(found, strings.Join([]string{m.reader.function, hex(m.recorded), m.writer.function, hex(m.read)}, " "))
				if m.count != 1 {
					t.Errorf("%d times: %v", m.count, m)
				}
			}
			if list := strings.Join(found, "\n"); list != c.found {
				t.Errorf("found %q, want %q", list, c.found)
			}
		})
	}
	t.Run("not asked for", func(t *testing.T) {
		t.Setenv(recorder.EnvOutside, "")
		kept := filepath.Join(dir, "plain")
		if _, text, err := s.Run(t.Context(), filepath.Join(dir, "app"), nil, "run", "-level", "none", "-o", kept, ".", "norace"); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		got, err := compareAll(kept)
		if err != nil || got.traces != 1 || got.compared+got.initial+got.racy > 0 {
			t.Errorf("%d traces with %d values of outside code, %v", got.traces, got.compared+got.initial+got.racy, err)
		}
	})
}

// TestLists reads suites.txt and known.txt, and lists that are wrong.
func TestLists(t *testing.T) {
	list, err := parse(suites)
	if err != nil || len(list) < 10 {
		t.Errorf("%d suites, %v", len(list), err)
	}
	seen := map[string]bool{}
	for _, u := range list {
		if seen[u.name] {
			t.Errorf("two suites %s", u.name)
		}
		seen[u.name] = true
		if u.program {
			if _, err := os.Stat(filepath.Join("../../programs/audit", u.name, "main.go")); err != nil {
				t.Error(err)
			}
		}
	}
	for _, wrong := range []string{"\tsuite ./...", "module", "a b c"} {
		if _, err := parse(wrong); err == nil {
			t.Errorf("suites %q are taken", wrong)
		}
	}
	if _, err := parseKnown(known); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"a # reason", "a | b", "a | b #", "a | b | c # reason"} {
		if _, err := parseKnown(wrong); err == nil {
			t.Errorf("known %q is taken", wrong)
		}
	}
	table, err := parseKnown("p.(*T).f* | nobody before * # reason")
	if err != nil {
		t.Fatal(err)
	}
	m := &mismatch{reader: place{function: "p.(*T).from"}, writer: place{function: "nobody before another read in q"}}
	if got := table.reason(m); got != "reason" {
		t.Errorf("reason %q", got)
	}
	m.writer.function = "q"
	if got := table.reason(m); got != "" {
		t.Errorf("reason %q of another writer", got)
	}
}
