package static_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/static"
	"github.com/presage-race/presage/internal/static/load"
	"github.com/presage-race/presage/internal/static/tier"
)

var (
	want     = regexp.MustCompile(`// want ("[^"]*"(?: "[^"]*")*)`)
	possible = regexp.MustCompile(`// possible ("[^"]*"(?: "[^"]*")*)`)
)

// TestFixtures compares the likely warnings of every package of testdata with its marks: the lines
// with the same name are one pair, and nothing else is reported. Pairs that are marked as possible
// must be warnings of that tier, but others may be there as well.
func TestFixtures(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no fixtures (%v)", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			res, err := static.Run(context.Background(), static.Config{Config: load.Config{Dir: dir, Patterns: []string{"."}}})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Errors) > 0 {
				t.Fatal(res.Errors)
			}
			got := map[tier.Tier]map[string]bool{tier.Likely: {}, tier.Possible: {}, tier.Unlikely: {}}
			for _, w := range res.Warnings {
				a, b := res.Position(w.A.Pos), res.Position(w.B.Pos)
				got[w.Tier][fmt.Sprintf("%s:%d-%d", filepath.Base(a.Filename), min(a.Line, b.Line), max(a.Line, b.Line))] = true
			}
			if diff := cmp.Diff(wanted(t, dir, want), sorted(got[tier.Likely])); diff != "" {
				t.Errorf("pairs of lines (-want +got):\n%s", diff)
			}
			for _, pair := range wanted(t, dir, possible) {
				if !got[tier.Possible][pair] {
					t.Errorf("%s is not possible, but only %v are", pair, sorted(got[tier.Possible]))
				}
			}
		})
	}
}

// wanted reads the marks of a fixture.
func wanted(t *testing.T, dir string, mark *regexp.Regexp) []string {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		marks := map[string][]int{}
		for i, line := range strings.Split(string(data), "\n") {
			if m := mark.FindStringSubmatch(line); m != nil {
				for _, name := range strings.Fields(m[1]) {
					marks[name] = append(marks[name], i+1)
				}
			}
		}
		for _, lines := range marks {
			out[fmt.Sprintf("%s:%d-%d", filepath.Base(file), lines[0], lines[len(lines)-1])] = true
		}
	}
	return sorted(out)
}

func sorted(set map[string]bool) []string {
	out := []string{}
	for s := range set {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}
