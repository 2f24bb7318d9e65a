package instrument

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/presage-race/presage/internal/source/plan"
)

// joinedName matches what the program of lines.txtar prints if the compiler joins relative names in
// //line comments to the directory of the source.
var joinedName = regexp.MustCompile(`(?m)^\$DIR/gen\.y `)

// TestNames runs the programs of testdata/names, which print names of files and of functions, plain
// and instrumented. Both must print the same: what the file want of the archive has, with the
// directory of the program as $DIR, unless the compiler joins relative names.
func TestNames(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	names, err := filepath.Glob("testdata/names/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no test data: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) { testNames(t, name) })
	}
}

func testNames(t *testing.T, name string) {
	ar, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir, want := t.TempDir(), ""
	for _, f := range ar.Files {
		if f.Name == "want" {
			want = strings.TrimPrefix(string(f.Data), "\n")
			continue
		}
		write(t, dir, f.Name, string(f.Data))
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	printed := func(overlay string) string {
		return strings.ReplaceAll(execute(t, dir, overlay), dir+string(os.PathSeparator), "$DIR/")
	}
	plain := printed("")
	joins := joinedName.MatchString(plain)
	if diff := cmp.Diff(want, plain); diff != "" && !joins {
		t.Errorf("the plain program (-want +got):\n%s", diff)
	}
	out := t.TempDir()
	r, err := Instrument(t.Context(), Config{Config: plan.Config{Dir: dir}, OutDir: out, JoinsLineNames: joins})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Opaque {
		t.Errorf("%s is not emitted: %s", o.Func, o.Reason)
	}
	if diff := cmp.Diff(plain, printed(overlay(t, r, out))); diff != "" {
		t.Errorf("output differs (-plain +instrumented):\n%s", diff)
	}
}
