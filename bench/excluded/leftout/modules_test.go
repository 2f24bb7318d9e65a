package leftout

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The list of modules is one, and what is no line of it is an error.
func TestModules(t *testing.T) {
	all, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]bool{}
	for _, s := range all {
		modules[s.module] = true
	}
	if len(modules) < 8 {
		t.Errorf("%d modules, want at least 8", len(modules))
	}
	got, err := parse("# modules\n\nexample.com/a/v2 v2.0.0\n\ttrace example.com/b/...\n\ttest 100 ./sub -run=X -short -args -n=1\n\ttest 7 .\nexample.com/c v1.0.0\n\ttest 9 .\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []*subject{
		{"example.com/a/v2", "v2.0.0", "./sub", []string{"-run=X", "-short"}, []string{"-args", "-n=1"}, 100, []string{"example.com/b/..."}},
		{"example.com/a/v2", "v2.0.0", ".", []string{}, nil, 7, []string{"example.com/b/..."}},
		{"example.com/c", "v1.0.0", ".", []string{}, nil, 9, nil},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(subject{})); diff != "" {
		t.Error(diff)
	}
	if got[0].name() != "a/sub" || got[1].name() != "a" {
		t.Errorf("names: %s, %s", got[0].name(), got[1].name())
	}
	for _, bad := range []string{"\ttest 7 .\n", "example.com/c\n", "example.com/c v1\n\ttest many .\n", "example.com/c v1\n\trun 7 .\n"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
