package protected

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/presage-race/presage/bench/internal/session"
)

// TestPrograms reads the data files: each program has all its forms as Go source, and is the same
// after it has been printed and read again.
func TestPrograms(t *testing.T) {
	programs, err := readPrograms()
	if err != nil {
		t.Fatal(err)
	}
	if len(programs) < 300 {
		t.Errorf("%d programs", len(programs))
	}
	ids := map[string]bool{}
	for _, p := range programs {
		if ids[p.fileName(twin)] {
			t.Errorf("%s is there twice", p.id())
		}
		ids[p.fileName(twin)] = true
		again, err := parse(p.family, p.String())
		if err != nil || len(again) != 1 || again[0].String() != p.String() {
			t.Errorf("%s: %v", p.id(), err)
		}
		for _, f := range []form{protected, twin, open, early, apart} {
			if f == apart && !p.separable() {
				continue
			}
			text, err := p.emit("p", "1", f, time.Millisecond)
			if err != nil {
				t.Errorf("%s %s: %v", p.id(), f, err)
				continue
			}
			inside := strings.Contains(p.text["look"], "second")
			if n := len(writeLines(text)); n != 2 {
				t.Errorf("%s %s: %d writes of x, inside %v", p.id(), f, n, inside)
			}
		}
	}
}

// TestParseErrors reads files that are wrong.
func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"store f()\n", "before the first program"},
		{"\tf()\n", "continues nothing"},
		{"program a\nstore f()\n", "needs a store"},
		{"program a\nok true\n", "needs a store"},
		{"program a\nstore f()\nok true\nwait f()\n", "needs a store"},
		{"program a\nstore f()\nok true\nprogram a\n", "there twice"},
		{"program a b\n", "is no name"},
		{"program a\nstroe f()\n", "unknown key"},
	} {
		if _, err := parse("f", c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestObjects reads objects.txt, and entries that are wrong.
func TestObjects(t *testing.T) {
	if _, err := readObjects(objectText); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"op f()\n", "object a\ntype int\n", "object a\ncolour red\n"} {
		if _, err := readObjects(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestGenerateDeterministic makes programs twice, and as a part of more.
func TestGenerateDeterministic(t *testing.T) {
	a, b := generate(30, 5), generate(60, 5)
	for i := range a {
		if a[i].String() != b[i].String() {
			t.Errorf("%s differs", a[i].id())
		}
	}
	if c := generate(1, 6); c[0].String() == a[0].String() {
		t.Error("the seed changes nothing")
	}
	for _, p := range b {
		if _, err := p.emit("p", "1", protected, time.Millisecond); err != nil {
			t.Errorf("%v\n%s", err, p)
		}
	}
}

const small = `program good
setup var b bytes.Buffer
store b.WriteString("a")
ok b.Len() > 0

program blocks
setup r, w := io.Pipe()
store w.Close()
wait r.Read(make([]byte, 1))

program untrue
setup var b bytes.Buffer
store b.WriteString("a")
ok b.Len() > 5

program before
setup var b bytes.Buffer
store b.WriteString("a")
ok b.Len() < 5

program unlocked
setup n := 0
	go func() { n++ }()
store n++
ok n > 0

program ordered
setup c := make(chan int)
store close(c)
look <-c
	ok = true
racy not at all

program broken
store undefined()
ok true
`

func smallJudge(t *testing.T, o *options) (*judge, []*program) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds and runs test packages")
	}
	programs, err := parse("small", small)
	if err != nil {
		t.Fatal(err)
	}
	o.size, o.sleep = 40, 20*time.Millisecond
	j, err := newJudge(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.close)
	return j, programs
}

// TestCheck shows what is dropped, and what is not.
func TestCheck(t *testing.T) {
	j, programs := smallJudge(t, &options{check: true})
	verdicts, err := j.judge(programs)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"good": "", "blocks": "", "ordered": "",
		"untrue":   "was not executed",
		"before":   "true before the store",
		"unlocked": "DATA RACE",
		"broken":   "undefined",
	}
	for _, v := range verdicts {
		if w := want[v.Name]; !strings.Contains(v.Dropped, w) || (w == "") != (v.Dropped == "") {
			t.Errorf("%s: dropped %q, want %q", v.Name, v.Dropped, w)
		}
	}
}

// TestJudge runs presage on three programs, and again from the state file. The second one is
// racy in its protected form, too, so it has to be reported as a false race.
func TestJudge(t *testing.T) {
	dir := t.TempDir()
	o := &options{state: filepath.Join(dir, "state"), presage: filepath.Join(dir, "presage")}
	smallJudge(t, &options{check: true})
	if err := session.Build(t.Context(), o.presage); err != nil {
		t.Fatal(err)
	}
	j, _ := smallJudge(t, o)
	programs, err := parse("small", `program list
setup l := list.New()
store l.PushBack(1)
ok l.Len() == 1

program racy
setup n := 0
store n = 1
look ok = n == 1 || n == 0
racy its predicate is always true

program third
setup n := 0
third n--
store n += 5
ok n > 0
`)
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := j.judge(programs)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range verdicts {
		if v.Dropped != "" || v.Failed != "" {
			t.Errorf("%s: %q %q", v.Name, v.Dropped, v.Failed)
		}
	}
	if len(verdicts[1].False) == 0 || verdicts[1].Twin == "" {
		t.Errorf("the racy program is not reported: %+v", verdicts[1])
	}
	var b strings.Builder
	if code := printTable(&b, verdicts, true); code != 1 || !strings.Contains(b.String(), "FALSE    small/racy") {
		t.Errorf("exit code %d\n%s", code, b.String())
	}
	resume(t, o, programs, verdicts)
}

// resume judges again, with a presage that cannot run.
func resume(t *testing.T, o *options, programs []*program, want []*verdict) {
	j, err := newJudge(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(j.close)
	os.Remove(o.presage)
	again, err := j.judge(programs)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range again {
		if v.Name != want[i].Name || v.Twin != want[i].Twin || !slices.Equal(v.False, want[i].False) {
			t.Errorf("%+v, was %+v", v, want[i])
		}
	}
	programs[0].add("setup", "// changed")
	if find(j.state, j.id, programs[0]) != nil {
		t.Error("a program that was changed keeps its verdict")
	}
}
