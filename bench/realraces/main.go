// Command realraces looks for known races of real modules: in the version before
// the fix, from one run of a driver against the public API, and not in the version
// after it. Each driver runs its two calls side by side (TestTogether) and in an order
// forced by a lock that has nothing to do with them (TestMasked), where
// go test -race is silent; its count over -n runs stands beside.
//
//	go run ./bench/realraces [-dir scratch] [-only name] [-n 3] [-tests TestTogether]
//	[-fixed=false]
//
// The list is testdata/races.tsv; a driver is testdata/<name>/driver_test.go, the two orders are
// testdata/orders_test.go.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/presage-race/presage/bench/session"
	"github.com/presage-race/presage/internal/report"
)

// known is one line of races.tsv.
type known struct{ name, module, before, after, object string }

func main() {
	log.SetFlags(0)
	log.SetPrefix("realraces: ")
	dir := flag.String("dir", "", "scratch directory")
	only := flag.String("only", "", "only the race of this name")
	n := flag.Int("n", 3, "runs of go test -race for the comparison; 0 for none")
	tests := flag.String("tests", "TestTogether,TestMasked", "which of the two orders")
	fixed := flag.Bool("fixed", true, "also the versions after the fix")
	flag.Parse()
	ctx := context.Background()
	s, err := session.New(ctx, *dir)
	if err != nil {
		log.Fatal(err)
	}
	list, err := load("bench/realraces/testdata/races.tsv")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("name           version    test          presage  other races  go test -race")
	failed := 0
	for _, k := range list {
		if *only != "" && k.name != *only {
			continue
		}
		versions := []string{k.before, k.after}
		if !*fixed {
			versions = versions[:1]
		}
		for _, version := range versions {
			for test := range strings.SplitSeq(*tests, ",") {
				ok, err := try(ctx, s, k, version, test, *n)
				if err != nil {
					log.Print(err)
				}
				if !ok {
					failed++
				}
			}
		}
	}
	fmt.Printf("%d of the lines are not as expected\n", failed)
	if failed > 0 {
		os.Exit(1)
	}
}

func load(name string) ([]known, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list []known
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(f) != 5 {
			continue
		}
		list = append(list, known{f[0], f[1], f[2], f[3], f[4]})
	}
	return list, nil
}

// try runs one driver on one version and prints a line; ok means as expected.
func try(ctx context.Context, s *session.Session, k known, version, test string, n int) (ok bool, err error) {
	mod, err := s.Module(ctx, k.module, version)
	if err != nil {
		return false, err
	}
	sub := filepath.Join(mod, "presagedriver")
	if err := os.MkdirAll(sub, 0o777); err != nil {
		return false, err
	}
	for _, name := range []string{"orders_test.go", k.name + "/driver_test.go"} {
		text, err := os.ReadFile(filepath.Join("bench/realraces/testdata", name))
		if err != nil {
			return false, err
		}
		if err := os.WriteFile(filepath.Join(sub, filepath.Base(name)), text, 0o666); err != nil {
			return false, err
		}
	}
	silent := "not run"
	if n > 0 {
		silent = fmt.Sprintf("%d of %d runs", plain(ctx, mod, test, n), n)
	}
	out, err := s.Test(ctx, mod, nil, "-vet=off", "-count=1", "-run", "^"+test+"$", "./presagedriver")
	if err != nil {
		return false, err
	}
	hits, others := 0, 0
	for _, r := range out.Races {
		if matches(r, k.object) {
			hits++
		} else {
			others++
		}
	}
	ok = (version == k.before) == (hits > 0)
	if version == k.after && others > 0 {
		for _, r := range out.Races {
			fmt.Printf("  after the fix: %s %s %v %v\n", r.Tier, r.Object, r.A.Position, r.B.Position)
		}
	}
	verdict := fmt.Sprintf("%d", hits)
	if !ok {
		verdict += " WRONG"
	}
	fmt.Printf("%-14s %-10s %-13s %-8s %-12d %s\n", k.name, version, test, verdict, others, silent)
	return ok, nil
}

func matches(r *report.Race, object string) bool {
	return strings.Contains(r.Object, object) || strings.Contains(r.A.Expr, object) || strings.Contains(r.B.Expr, object)
}

// plain counts the runs of go test -race that report a race.
func plain(ctx context.Context, mod, test string, n int) int {
	found := 0
	for range n {
		cmd := exec.CommandContext(ctx, "go", "test", "-race", "-vet=off", "-count=1", "-run", "^"+test+"$", "./presagedriver")
		cmd.Dir = mod
		out, _ := cmd.CombinedOutput()
		if bytes.Contains(out, []byte("WARNING: DATA RACE")) {
			found++
		}
	}
	return found
}
