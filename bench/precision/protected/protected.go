// Package protected judges prediction for code that outside code protects: packages that presage
// does not instrument.
//
// In a protected program one goroutine writes x and then changes, in a critical section of mu, an
// object of a library. Another goroutine asks the library, in a critical section of mu, whether
// the change has happened, and writes x only if it has. The two writes never race. The twin of the
// program does the same and writes x unconditionally: a race, which mu hides in the recorded run.
// A race that presage reports on x of a protected program is false. A twin without such a race is
// a race that presage misses. Predicting it takes more than the order of calls: the look has to be
// executable before the store. So there is an apart form, too: the twin with objects of its own
// for each goroutine, of which mu alone keeps the writes in order. It exists where setup makes all
// objects of a program.
//
//	go -C bench run ./precision protected [-presage BIN] [-flags "-only=example.org/..."]
//		[-only RE]
//		[-limit N] [-state FILE]
//	go -C bench run ./precision protected -random 500 -seed 1
//	go -C bench run ./precision protected -only 'buffers/' -print
//
// The programs are text files in folder programs, one for each family; the comment at the head of
// parse.go describes their format. With -random they are generated.
//
// The command writes one Go module of test packages, and runs it before presage does. A program is
// dropped, and counted, unless
//
//   - it compiles and passes go vet,
//   - its protected form and its twin pass go test and go test -race: x = 2 was executed, and no
//     race was reported,
//   - its open form, which is the twin with the sleep on the other side, finds the predicate false
//     before the store, and is reported by go test -race in one of five runs. A program whose look
//     cannot run before the store has an argument in words instead (key racy).
//
// With -state, what was checked is not checked again, and what presage has judged with the same
// flags is not judged again.
//
// The exit code is 1 if there is a false race, 2 if the command failed.
package protected

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/presage-race/presage/bench/internal/command"
)

// options are the flags of the command.
type options struct {
	presage, flags, only, state, dir string
	random, limit, size              int
	seed                             uint64
	sleep                            time.Duration
	print, check, verbose            bool
}

func parseFlags(args []string) *options {
	flags := command.Flags("precision protected", "[-only RE] [-random n] [-presage command] [-flags \"...\"] [-state file] [-print | -check] [-v]")
	o := &options{}
	flags.StringVar(&o.presage, "presage", "", "the presage to judge; default: built from this checkout")
	flags.StringVar(&o.flags, "flags", "", "more flags of presage test, separated by spaces")
	flags.StringVar(&o.only, "only", "", "take only programs whose family/name matches this expression")
	flags.StringVar(&o.state, "state", "", "keep verdicts in this file, and do not judge again what has one")
	flags.StringVar(&o.dir, "dir", "", "write the module into this directory and keep it")
	flags.IntVar(&o.random, "random", 0, "judge this many random programs instead")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the random programs")
	flags.IntVar(&o.limit, "limit", 0, "take only so many programs")
	flags.IntVar(&o.size, "size", 14, "programs per package")
	flags.DurationVar(&o.sleep, "sleep", 20*time.Millisecond, "how long the second goroutine sleeps")
	flags.BoolVar(&o.print, "print", false, "print the programs, in the format of the data files, and do no more")
	flags.BoolVar(&o.check, "check", false, "check the programs, and do not run presage")
	flags.BoolVar(&o.verbose, "v", false, "list the twins that are missed, and races of other memory")
	flags.Parse(args)
	command.NoArgs(flags)
	return o
}

// Main judges the programs that the flags name.
func Main(args []string) int {
	code, err := run(parseFlags(args))
	command.Check(err)
	return code
}

func run(o *options) (code int, err error) {
	programs, err := choose(o)
	if err != nil {
		return 0, err
	}
	if o.print {
		for _, p := range programs {
			fmt.Printf("# %s\n%v\n", p.family, p)
		}
		return 0, nil
	}
	j, err := newJudge(o)
	if err != nil {
		return 0, err
	}
	defer j.close()
	begin := time.Now()
	verdicts, err := j.judge(programs)
	if err != nil {
		return 0, err
	}
	fmt.Printf("%d programs, presage %s %s, %.0f s\n", len(programs), j.name(), o.flags, time.Since(begin).Seconds())
	return printTable(os.Stdout, verdicts, o.verbose), nil
}

// choose returns the programs that the flags ask for.
func choose(o *options) ([]*program, error) {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return nil, err
	}
	var all []*program
	if o.random > 0 {
		all = generate(o.random, o.seed)
	} else if all, err = readPrograms(); err != nil {
		return nil, err
	}
	var chosen []*program
	for _, p := range all {
		if only.MatchString(p.id()) && (o.limit == 0 || len(chosen) < o.limit) {
			chosen = append(chosen, p)
		}
	}
	return chosen, nil
}

// name is the file name of the presage that is judged.
func (j *judge) name() string { return filepath.Base(strings.TrimSuffix(j.options.presage, ".exe")) }
