package instrument

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/source/plan"
)

// TestDirectives checks that functions with directives are left as written, and that their callers
// keep alive what these need.
func TestDirectives(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/directives")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "go.mod", "module prog\n\ngo 1.26\n")
	want := execute(t, dir, "")
	if strings.Contains(want, "FAIL") || !strings.Contains(want, "dead true") {
		t.Fatalf("the program is wrong:\n%s", want)
	}
	for _, gates := range []bool{false, true} {
		out := t.TempDir()
		r, err := Instrument(t.Context(), Config{Config: plan.Config{Dir: dir}, OutDir: out, Gates: gates})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(leftAsWritten, reasons(r)); diff != "" {
			t.Errorf("gates %v: functions left as written differ (-want +got):\n%s", gates, diff)
		}
		got := execute(t, dir, overlay(t, r, out))
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("gates %v: output differs (-plain +instrumented):\n%s", gates, diff)
		}
	}
}

var leftAsWritten = []string{
	"deferredRest: go or defer with pointers in arguments of type ...uintptr",
	"done: directive //go:uintptrescapes",
	"doneOne: directive //go:uintptrescapes",
	"far: directive //go:uintptrescapes",
	"goesRest: go or defer with pointers in arguments of type ...uintptr",
	"method: directive //go:uintptrescapes",
	"number: directive //go:uintptrescapes",
	"test: directive //go:uintptrescapes",
}

func reasons(r *Result) (list []string) {
	for _, o := range r.Opaque {
		list = append(list, o.Func[strings.LastIndex(o.Func, ".")+1:]+": "+o.Reason)
	}
	slices.Sort(list)
	return list
}
