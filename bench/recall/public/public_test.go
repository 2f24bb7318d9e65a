package public

import (
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/report"
)

// TestCases reads the data files; their drivers parse and have the function that the forms call.
func TestCases(t *testing.T) {
	all, err := readCases(races, "races")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 16 {
		t.Errorf("%d cases, not at least 16", len(all))
	}
	for _, c := range all {
		for version, driver := range map[string]string{c.module.Path: c.driver, c.fixed.Path: c.fixedDriver} {
			file, err := parser.ParseFile(token.NewFileSet(), c.name, driver, 0)
			if err != nil {
				t.Error(err)
				continue
			}
			if file.Name.Name != "driver" || file.Scope.Lookup("sides") == nil {
				t.Errorf("%s: the driver is not of package driver, or has no function sides", c.name)
			}
			if !strings.Contains(driver, `"`+version) {
				t.Errorf("%s: the driver does not import %s", c.name, version)
			}
		}
		if c.module == c.fixed {
			t.Errorf("%s: the fixed version is the one with the race", c.name)
		}
	}
}

// TestParseErrors: what is no case is refused.
func TestParseErrors(t *testing.T) {
	good := "module: a.org/b@v1.0.0\nfixed: a.org/b@v1.0.1\nsource: a/b pull 1\nraces: x\n  and y\n\n-- driver_test.go --\npackage driver\n"
	c, err := parseCase("good", []byte(good))
	if err != nil || c.rounds != 1 || c.fixedDriver != c.driver || !strings.HasSuffix(c.races, "and y") {
		t.Errorf("%+v, %v", c, err)
	}
	for _, change := range [][2]string{
		{"@v1.0.1", "@1.0.1"},
		{"@v1.0.0", ""},
		{"source: a/b pull 1\n", ""},
		{"source:", "sauce:"},
		{"races: x", "races: x\nrounds: 0"},
		{"races: x", "races: x\nraces: y"},
		{"module: a.org", "no key\nmodule: a.org"},
		{"driver_test.go", "drive_test.go"},
	} {
		if c, err := parseCase("bad", []byte(strings.Replace(good, change[0], change[1], 1))); err == nil {
			t.Errorf("with %q: no error, %+v", change[1], c)
		}
	}
}

const detectorReports = `==================
WARNING: DATA RACE
Read at 0x00c0000964f0 by goroutine 11:
  runtime.mapaccess1_faststr()
      /go/src/internal/runtime/maps/runtime_faststr.go:103 +0x36
  reflect.typedmemmove()
      /go/src/runtime/mbarrier.go:213 +0x36
  example.org/lib.(*T[go.shape.int]).get()
      /mod/lib@v1.0.0/lib.go:55 +0x36
  driver.TestOpen.func1()
      /tmp/forms_test.go:20 +0xa9

Previous write at 0x00c0000964f0 by goroutine 10:
  example.org/lib.set()
      /mod/lib@v1.0.0/lib.go:12 +0x46

Goroutine 11 (running) created at:
  driver.TestOpen()
      /tmp/forms_test.go:16 +0x135
==================
==================
WARNING: DATA RACE
Atomic write at 0x00c0000964f0 by goroutine 11:
  example.org/lib.add()
      /mod/lib@v1.0.0/lib.go:70 +0x36

Previous atomic read at 0x00c0000964f0 by main goroutine:
  [failed to restore the stack]

==================
`

// TestParseDetector: the accesses are those of the innermost frames that are not of the runtime,
// and a report without one of its stacks gives no pair.
func TestParseDetector(t *testing.T) {
	get := place{"example.org/lib.(*T[go.shape.int]).get", "lib.go", 55}
	set := place{"example.org/lib.set", "lib.go", 12}
	if diff := cmp.Diff([]pair{makePair(set, get)}, parseDetector([]byte(detectorReports))); diff != "" {
		t.Error(diff)
	}
}

func race(a, b place) *report.Race {
	access := func(p place) report.Access {
		return report.Access{Position: report.Position{File: "/mod/" + p.File, Line: p.Line}, Func: p.Func}
	}
	return &report.Race{A: access(a), B: access(b)}
}

// TestMatches: lines come first, then functions; both accesses have to match, each its own place.
func TestMatches(t *testing.T) {
	get, set := place{"lib.(*T[go.shape.int]).get", "lib.go", 55}, place{"lib.set", "lib.go", 12}
	set2 := place{"lib.set", "lib.go", 13}
	pairs := []pair{makePair(get, set), makePair(get, set2), makePair(set, set2)}
	for _, test := range []struct {
		name string
		a, b place
		want []int
	}{
		{"lines", get, set, []int{0}},
		{"the other order", set2, get, []int{1}},
		{"functions without type arguments", place{"lib.(*T[...]).get", "lib.go", 56}, place{"lib.set", "lib.go", 14}, []int{0, 1}},
		{"a line in an inlined function", place{"lib.caller", "lib.go", 55}, place{"lib.set", "lib.go", 99}, []int{0, 1}},
		{"one access of another function", place{"lib.other", "lib.go", 1}, set, nil},
		{"both accesses on one side", get, get, nil},
		{"the same line of another file", place{"x.get", "x.go", 55}, place{"x.set", "x.go", 12}, nil},
	} {
		if got := matches(pairs, race(test.a, test.b)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, not %v", test.name, got, test.want)
		}
	}
	if inFuncsOf(pairs, race(place{"x.get", "lib.go", 55}, set)) != nil {
		t.Error("a race is in the functions of a pair by its line")
	}
	if inFuncsOf(pairs, race(place{"lib.set", "lib.go", 99}, place{"lib.set", "lib.go", 98})) == nil {
		t.Error("a race is not in the functions of a pair")
	}
}

// TestComplaint: each thing that is not as expected is said.
func TestComplaint(t *testing.T) {
	silent := func() *raced { return &raced{Runs: 5} }
	good := func() *outcome {
		return &outcome{Open: &raced{Runs: 5, Racy: 1}, Hidden: silent(), OpenFixed: silent(), HiddenFixed: silent(), POpenFixed: &predicted{}, PHiddenFixed: &predicted{}}
	}
	if c := good().complaint(); c != "" {
		t.Errorf("complaint about nothing: %s", c)
	}
	for want, spoil := range map[string]func(*outcome){
		"open: -race is silent":         func(o *outcome) { o.Open.Racy = 0 },
		"hidden: -race reports":         func(o *outcome) { o.Hidden.Racy = 1 },
		"open, fixed: -race reports":    func(o *outcome) { o.OpenFixed.Racy = 1 },
		"hidden, fixed: -race reports":  func(o *outcome) { o.HiddenFixed.Racy = 1 },
		"hidden: a run under":           func(o *outcome) { o.Hidden.Failed = "panic" },
		"hidden, fixed: presage report": func(o *outcome) { o.PHiddenFixed.Found = []found{{ID: "x"}} },
	} {
		o := good()
		spoil(o)
		if got := o.complaint(); !strings.HasPrefix(got, want) {
			t.Errorf("complaint %q, not %q", got, want)
		}
	}
}

// TestCase runs the smallest case under -race: its race is found in the open form only, and not in
// the fixed version.
func TestCase(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs with -race")
	}
	if out, err := exec.Command("go", "env", "CGO_ENABLED").Output(); err != nil || strings.TrimSpace(string(out)) != "1" {
		t.Skip("1 case not run: -race needs cgo")
	}
	all, err := readCases(races, "races")
	if err != nil {
		t.Fatal(err)
	}
	if all, err = choose(all, "rate"); err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{all[0].module.String(), all[0].fixed.String()} {
		if err := exec.Command("go", "mod", "download", v).Run(); err != nil {
			t.Skipf("1 case not run: the module proxy does not give %s: %v", v, err)
		}
	}
	b := &bench{options: &options{check: true, dir: t.TempDir(), state: filepath.Join(t.TempDir(), "state")}, forms: forms}
	if err := b.open(); err != nil {
		t.Fatal(err)
	}
	defer b.close()
	out, err := b.judge(all[0])
	if err != nil {
		t.Fatal(err)
	}
	if c := out.complaint(); c != "" {
		t.Error(c)
	}
	if again, err := session.OpenState[outcome](b.options.state); err != nil || find(again, b.id, all[0]) == nil {
		t.Errorf("the outcome is not in the state file: %v", err)
	}
}

// TestChoose: an unknown name is an error.
func TestChoose(t *testing.T) {
	all := []*raceCase{{name: "a"}, {name: "b"}}
	if got, err := choose(all, "b"); err != nil || len(got) != 1 || got[0].name != "b" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := choose(all, "c"); err == nil {
		t.Error("no error")
	}
}
