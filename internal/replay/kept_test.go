package replay

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/trace/format"
)

const keptFile = "testdata/kept.presage"

func readKeptFile(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(keptFile)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parseKeptFile(t *testing.T) *Kept {
	t.Helper()
	k, err := ParseKept(keptFile, readKeptFile(t))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// everything is a schedule with all that the form has.
func everything(t *testing.T) *Kept {
	k := parseKeptFile(t)
	k.Build, k.Args, k.opaque, k.apart = []string{"-tags=a b"}, []string{"", "x \"y\"", "#", "|"}, []string{"example.com/x.F"}, true
	k.child, k.nth = 0x1234, 2
	k.who = append(k.who, keptGoroutine{parent: 0, name: "time.goFunc", number: 40}, keptGoroutine{parent: 1, name: "net/http.f", ordinal: 3})
	k.steps[0].choice, k.steps[1].skip, k.steps[len(k.steps)-1].nth = 2, 7, 1<<40
	k.stops = append(k.stops, keptStep{who: 1, gate: 2, kind: format.Lock, object: 9, flags: stops})
	k.feeds = append(k.feeds, keptFeed{who: 2, gate: 1, n: 1, value: 1<<64 - 1})
	return k
}

// TestKeptText: what is written can be read, and is written again as it was.
func TestKeptText(t *testing.T) {
	for _, k := range []*Kept{parseKeptFile(t), everything(t)} {
		text := k.Format()
		back, err := ParseKept("again", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if d := cmp.Diff(string(text), string(back.Format())); d != "" {
			t.Errorf("-first +again\n%s", d)
		}
	}
	crlf := bytes.ReplaceAll(readKeptFile(t), []byte("\n"), []byte("\r\n"))
	if _, err := ParseKept("crlf", crlf); err != nil {
		t.Errorf("with other line ends: %v", err)
	}
	if _, err := ParseKept("marked", append([]byte("\ufeff"), crlf...)); err != nil {
		t.Errorf("with a byte-order mark: %v", err)
	}
}

// TestKeptAltered: a file that was altered by hand is refused, with the place and the reason.
func TestKeptAltered(t *testing.T) {
	text := string(readKeptFile(t))
	lines := strings.SplitAfter(text, "\n")
	at := func(prefix string) int {
		return slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, prefix) })
	}
	with := func(edit func(l []string) []string) string { return strings.Join(edit(slices.Clone(lines)), "") }
	three, four := at("step 3 "), at("step 4 ")
	for _, c := range []struct{ name, text, want string }{
		{"two steps swapped", with(func(l []string) []string { l[three], l[four] = l[four], l[three]; return l }), "step 4 stands where step 3 should: a step was left out, or two were swapped"},
		{"swapped, and renumbered", with(func(l []string) []string {
			l[three], l[four] = strings.Replace(l[four], "step 4", "step 3", 1), strings.Replace(l[three], "step 3", "step 4", 1)
			return l
		}), "the steps are not as presage wrote them"},
		{"a step left out", with(func(l []string) []string { return slices.Delete(l, three, three+1) }), "step 4 stands where step 3 should"},
		{"the last step left out", with(func(l []string) []string { i := at("step 10 "); return slices.Delete(l, i, i+1) }), "the steps are not as presage wrote them"},
		{"a wrong line", strings.Replace(text, "+18 store", "+17 store", 1), "the functions and their gates are not as presage wrote them"},
		{"a wrong function", strings.Replace(text, "hidden.Test.func1", "hidden.Test.func2", 1), "the functions and their gates are not"},
		{"another goroutine", strings.Replace(text, "of 2 at g4 0", "of 2 at g4 1", 1), "the goroutines are not"},
		{"another test", strings.Replace(text, "test example.com/hidden", "test example.com/shown", 1), "the lines of the head are not"},
		{"another version", strings.Replace(text, "schedule 1", "schedule 7", 1), ":1: a kept schedule of version 7: this presage reads versions 1 to 2"},
		{"another file", "module x\n", ":1: not a kept schedule"},
		{"nothing", "", "is empty"},
		{"only notes", "# x\n", "is empty"},
		{"an unknown flag", strings.Replace(text, "write o1 held", "write o1 dropped", 1), "is not a line of the steps"},
		{"an unknown kind", strings.Replace(text, "unlock o4", "open o4", 1), "is not a line of the steps"},
		{"an unknown line", strings.Replace(text, "dir .", "dirs .", 1), "is not a line of the lines of the head"},
		{"an open quotation", strings.Replace(text, `race "captured last"`, `race "captured last`, 1), "a quotation that does not end"},
		{"a line without words", strings.Replace(text, "dir .", "| x", 1), "is a line without words"},
		{"more behind the end", text + "step 11\n", "a line behind the end"},
	} {
		if _, err := ParseKept("f", []byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	for i := range lines {
		if cut := strings.Join(lines[:i], ""); i < at("end") {
			if _, err := ParseKept("f", []byte(cut)); err == nil {
				t.Errorf("cut off before line %d: no error", i+1)
			}
		}
	}
}

// TestKeptConsistent: what is no schedule is refused, whatever its sums say.
func TestKeptConsistent(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(k *Kept)
		want string
	}{
		{"no goroutine", func(k *Kept) { k.who = nil }, "first goroutine is missing"},
		{"a step of no goroutine", func(k *Kept) { k.steps[1].who = 9 }, "step 2: there is no goroutine 9"},
		{"a gate that no function has", func(k *Kept) { k.steps[1].gate = 99 }, "step 2: no function has the gate g99"},
		{"two gates of one number", func(k *Kept) { k.funcs[0].gates[1].number = 1 }, "there are two gates g1"},
		{"a goroutine before it is started", func(k *Kept) { k.steps[0].who = 3 }, "step 1 is of goroutine 3, which no step before it starts"},
		{"one access", func(k *Kept) { k.steps[len(k.steps)-1].flags = 0 }, "does not end in the two accesses"},
		{"three accesses", func(k *Kept) { k.steps[0].flags = held }, "does not end in the two accesses"},
		{"accesses of one goroutine", func(k *Kept) { k.steps[len(k.steps)-2].who = 2 }, "are of one goroutine"},
		{"accesses of two variables", func(k *Kept) { k.steps[len(k.steps)-2].object = 2 }, "are of two objects"},
		{"two reads", func(k *Kept) {
			k.steps[len(k.steps)-2].kind, k.steps[len(k.steps)-1].kind = format.Read, format.Read
		}, "are a read and a read"},
		{"a step between", func(k *Kept) {
			n := len(k.steps)
			k.steps[n-3], k.steps[n-2] = k.steps[n-2], k.steps[n-3]
		}, "stand between the accesses"},
		{"a directory elsewhere", func(k *Kept) { k.Dir = "../x" }, "is not below the root"},
		{"a source elsewhere", func(k *Kept) { k.sources[0].file = "../x.go" }, "is not below the root"},
		{"a function's file elsewhere", func(k *Kept) { k.funcs[0].file = "/x.go" }, "is not below the root"},
		{"an ID that is a path", func(k *Kept) { k.ID = "../../x" }, "is not one of a race"},
		{"a package that is a flag", func(k *Kept) { k.Package = "-toolexec=./x" }, "is not a package"},
		{"a function of such a package", func(k *Kept) { k.funcs[0].pkg = "--" }, "is not a package"},
		{"no package", func(k *Kept) { k.Package = "" }, "lacks a line"},
		{"a goroutine of a gate that is none", func(k *Kept) { k.who[2].gate = 77 }, "which no function has"},
		{"feeds out of order", func(k *Kept) { k.feeds = []keptFeed{{who: 2, gate: 1}, {who: 1, gate: 1}} }, "feed 2 is of goroutine 1"},
	} {
		k := parseKeptFile(t)
		c.edit(k)
		if _, err := ParseKept("f", k.Format()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// FuzzKept: any bytes are a schedule, which can be written again, or an error.
func FuzzKept(f *testing.F) {
	text := readKeptFile(f)
	f.Add(text)
	f.Add(bytes.ReplaceAll(text, []byte("sum "), []byte("# ")))
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := ParseKept("f", data)
		if err != nil {
			return
		}
		if _, err := ParseKept("f", k.Format()); err != nil {
			t.Errorf("read, written, and not read again: %v\n%s", err, data)
		}
	})
}

// TestAlign compares functions as they were and as they are.
func TestAlign(t *testing.T) {
	a, err := txtar.ParseFile("testdata/align.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for k := 0; k+2 < len(a.Files); k += 3 {
		old, now := gatesOf(t, a.Files[k].Data), gatesOf(t, a.Files[k+1].Data)
		var got []string
		for _, j := range align(old, now) {
			if j < 0 {
				got = append(got, "-")
			} else {
				got = append(got, fmt.Sprint(j+1))
			}
		}
		if want := strings.TrimSpace(string(a.Files[k+2].Data)); strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", a.Files[k].Name, got, want)
		}
	}
}

func gatesOf(t *testing.T, data []byte) (list []outlined) {
	for line := range strings.Lines(string(data)) {
		w := strings.Fields(line)
		if len(w) != 4 {
			t.Fatalf("gate %q", line)
		}
		g := outlined{kind: strings.TrimLeft(w[0], "*!"), expr: w[1], object: strings.Trim(w[2], "-"), text: w[3], pair: w[0][0] == '!'}
		if w[0][0] == '*' || g.pair {
			g.number = len(list) + 1
		}
		list = append(list, g)
	}
	return list
}

// TestKeptStarts: a goroutine is started by a go statement, or by WaitGroup.Go, whose step is that
// of its Add.
func TestKeptStarts(t *testing.T) {
	for kind, ok := range map[format.Kind]bool{format.Go: true, format.WGAdd: true, format.Lock: false} {
		k := parseKeptFile(t)
		for i := range k.steps {
			if k.steps[i].kind == format.Go {
				k.steps[i].kind = kind
			}
		}
		if err := k.consistent(); (err == nil) != ok {
			t.Errorf("goroutines that are started by a step of kind %v: %v", kind, err)
		}
	}
}
