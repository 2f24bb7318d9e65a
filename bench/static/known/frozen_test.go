package known

import (
	"go/build"
	"os"
	"path/filepath"
	"testing"
)

// The frozen list is well formed, and right about each race whose versions are in the cache of
// modules. `go -C bench run ./static known -check-list` downloads the others.
func TestFrozen(t *testing.T) {
	races, err := readFrozen(frozenTable)
	if err != nil {
		t.Fatal(err)
	}
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		cache = filepath.Join(filepath.SplitList(build.Default.GOPATH)[0], "pkg", "mod")
	}
	skipped := 0
	for _, r := range races {
		before, after := moduleDir(cache, r.module, r.before), moduleDir(cache, r.module, r.after)
		if before == "" || after == "" {
			skipped++
			continue
		}
		if err := r.check(before, after); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
	}
	if skipped > 0 {
		t.Logf("%d of %d races are not checked: their versions are not in %s", skipped, len(races), cache)
	}
	if skipped == len(races) {
		t.Skipf("none of %d races is in the cache of modules", skipped)
	}
}

func TestFrozenRejects(t *testing.T) {
	const good = `race     a T.f
module   example.com/m v1.0.0 v1.0.1
package  example.com/m/p
write    p/a.go:3 T.Set
other    p/a.go:7 T.Get
variable f
kind     no lock
source   #1
half     `
	half := halfOf("example.com/m", "v1.0.0")
	if _, err := readFrozen("# a comment\n\n" + good + half + "\n"); err != nil {
		t.Error(err)
	}
	other := map[string]string{"seen": "unseen", "unseen": "seen"}[half]
	for name, text := range map[string]string{
		"half":  good + other,
		"line":  "race     b\n" + good[len("race     a T.f\n"):len(good)-len("half     ")],
		"twice": good + half + "\n\n" + good + half,
	} {
		if _, err := readFrozen(text); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
