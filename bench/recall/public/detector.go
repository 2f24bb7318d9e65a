package public

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// place is where an access is made.
type place struct {
	Func string
	File string // without its directory
	Line int
}

func (p place) String() string { return fmt.Sprintf("%s %s:%d", p.Func, p.File, p.Line) }

// pair is two places whose accesses race, the smaller one first.
type pair [2]place

func makePair(a, b place) pair {
	if b.String() < a.String() {
		a, b = b, a
	}
	return pair{a, b}
}

// raced is what go test -race found in several runs of a form.
type raced struct {
	Runs, Racy int // runs, and those with a report
	Pairs      []pair
	Failed     string // the end of the output of a run that failed without a report
}

// detect runs a form under -race.
func (d *driven) detect(form string, runs int) (*raced, error) {
	const binary = "race.test"
	if out, err := d.command("go", "test", "-race", "-vet=off", "-c", "-o", binary, ".").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go test -race: %w\n%s", err, out)
	}
	r := &raced{Runs: runs}
	for range runs {
		out, err := d.command("./"+binary, "-test.run", "^"+form+"$").CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return nil, err
		}
		pairs := parseDetector(out)
		switch {
		case bytes.Contains(out, []byte("WARNING: DATA RACE")):
			r.Racy++
		case err != nil:
			r.Failed = tail(string(out))
		}
		for _, p := range pairs {
			if !slices.Contains(r.Pairs, p) {
				r.Pairs = append(r.Pairs, p)
			}
		}
	}
	return r, nil
}

var (
	heading = regexp.MustCompile(`^(?:Previous )?(?i:atomic )?(?i:read|write) at 0x[0-9a-f]+ by `)
	frame   = regexp.MustCompile(`^      (\S.*):(\d+) \+0x`)
)

// parseDetector returns the pairs of the reports in an output of -race.
func parseDetector(out []byte) (pairs []pair) {
	var places []place
	wanted, function := false, ""
	for line := range strings.SplitSeq(string(out), "\n") {
		switch m := frame.FindStringSubmatch(line); {
		case strings.Contains(line, "WARNING: DATA RACE"):
			places, wanted = nil, false
		case heading.MatchString(line):
			wanted = true
		case strings.TrimSpace(line) == "":
			wanted = false
		case m == nil:
			function = strings.TrimSuffix(strings.TrimSpace(line), "()")
		case wanted && !ofRuntime(m[1]):
			n, _ := strconv.Atoi(m[2])
			places, wanted = append(places, place{function, filepath.Base(m[1]), n}), false
			if len(places) == 2 {
				pairs = append(pairs, makePair(places[0], places[1]))
			}
		}
	}
	return pairs
}

// ofRuntime reports whether a file is of the runtime, which makes accesses on behalf of its
// callers. The names of functions do not say so: the runtime has functions of package reflect.
func ofRuntime(file string) bool {
	return strings.Contains(file, "/src/runtime/") || strings.Contains(file, "/src/internal/runtime/")
}

// tail is the end of a text, in one line.
func tail(text string) string {
	text = strings.TrimSpace(text)
	return strings.ReplaceAll(text[max(0, len(text)-300):], "\n", " | ")
}
