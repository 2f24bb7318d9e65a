// Package realraces looks for known races of public modules (package known). Presage records one
// run of a driver, which calls the public API of the module. The race must be reported in the
// version before the fix, and not in the version after it.
//
//	go -C bench run ./recall realraces [-dir scratch] [-only name] [-n 3]
//		[-tests TestTogether] [-fixed=false]
//
// Each driver runs its two calls side by side (TestTogether), and in an order forced by a lock
// that has nothing to do with them (TestMasked). There go test -race is silent; the last column
// counts its reports in n runs.
//
// The exit code is 1 if a line is not as expected.
package realraces

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os/exec"
	"strings"

	"github.com/presage-race/presage/bench/internal/command"
	"github.com/presage-race/presage/bench/internal/known"
	"github.com/presage-race/presage/bench/internal/session"
	"github.com/presage-race/presage/internal/report"
)

// Main tries the races in both versions and both orders.
func Main(args []string) int {
	flags := command.Flags("recall realraces", "[-only name] [-n runs] [-tests TestTogether,TestMasked] [-fixed=false] [-dir scratch]")
	dir := command.Dir(flags)
	only := flags.String("only", "", "only the race of this name")
	n := flags.Int("n", 3, "runs of go test -race for the comparison; 0 for none")
	tests := flags.String("tests", "TestTogether,TestMasked", "orders of the driver, with commas between them")
	fixed := flags.Bool("fixed", true, "also the versions after the fix")
	figures := command.FiguresFlag(flags)
	flags.Parse(args)
	command.NoArgs(flags)
	ctx := context.Background()
	s, err := session.New(ctx, *dir)
	command.Check(err)
	list, err := known.Races(*only)
	command.Check(err)
	fmt.Println("name           version    test          presage  other races  go test -race")
	failed, lines := 0, 0
	for _, k := range list {
		versions := []string{k.Before, k.After}
		if !*fixed {
			versions = versions[:1]
		}
		for _, version := range versions {
			for test := range strings.SplitSeq(*tests, ",") {
				ok, err := try(ctx, s, k, version, test, *n)
				if err != nil {
					log.Print(err)
				}
				lines++
				if !ok {
					failed++
				}
			}
		}
	}
	fmt.Printf("%d of the lines are not as expected\n", failed)
	figures.Print("all", command.Count(lines, "lines"), command.Count(failed, "wrong"))
	return command.Code(failed == 0)
}

// try runs one driver on one version and prints a line; ok means as expected.
func try(ctx context.Context, s *session.Session, k known.Race, version, test string, n int) (ok bool, err error) {
	mod, err := known.Driven(ctx, s, k, version)
	if err != nil {
		return false, err
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
		if matches(r, k.Object) {
			hits++
		} else {
			others++
		}
	}
	ok = (version == k.Before) == (hits > 0)
	if version == k.After && others > 0 {
		for _, r := range out.Races {
			fmt.Printf("  after the fix: %s %s %v %v\n", r.Tier, r.Object, r.A.Position, r.B.Position)
		}
	}
	verdict := fmt.Sprintf("%d", hits)
	if !ok {
		verdict += " WRONG"
	}
	fmt.Printf("%-14s %-10s %-13s %-8s %-12d %s\n", k.Name, version, test, verdict, others, silent)
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
