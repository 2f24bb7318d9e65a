package baseline

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Race is an entry of a baseline of races.
type Race struct {
	ID       string
	Packages []string // of its accesses, and of the test that showed it
	Text     string   // for people
}

// racesHead begins the first line of a baseline of races, up to its version.
const racesHead = "# presage baseline of races, version "

const racesVersion = 1

var (
	racesLine = regexp.MustCompile("^" + racesHead + `([0-9]{1,6})(:|$)`)
	pathText  = regexp.MustCompile(`^[^\s,\x00-\x1f\x7f]+$`)
)

// MaxSize bounds the files that are read.
const MaxSize = 16 << 20

// WriteRaces writes a baseline of races.
func WriteRaces(w io.Writer, races []Race) error {
	races = slices.Clone(races)
	slices.SortFunc(races, func(a, b Race) int { return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.ID, b.ID)) })
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s%d: IDs of known races, which are counted and not printed in full. Made by presage test -baseline FILE -write-baseline.\n", racesHead, racesVersion)
	for _, r := range races {
		packages := slices.DeleteFunc(slices.Clone(r.Packages), func(p string) bool { return !pathText.MatchString(p) })
		fmt.Fprintf(out, "%s %s %s\n", r.ID, cmp.Or(strings.Join(packages, ","), "-"), strings.Join(strings.Fields(r.Text), " "))
	}
	return out.Flush()
}

// ReadRaces reads a baseline of races. Another file is an error, also a baseline of presage vet.
func ReadRaces(r io.Reader) (races []Race, err error) {
	limited := &io.LimitedReader{R: r, N: MaxSize + 1}
	sc := bufio.NewScanner(limited)
	sc.Buffer(nil, 1<<20)
	known := false
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(strings.TrimPrefix(sc.Text(), "\ufeff"))
		if n == 1 {
			if err := checkHead(line); err != nil {
				return nil, err
			}
			known = true
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, " ", 3)
		if !valid(f[0]) || len(f) < 2 {
			return nil, fmt.Errorf("line %d: %.40q is no entry: an ID, packages, and a text", n, line)
		}
		e := Race{ID: f[0], Packages: strings.Split(f[1], ",")}
		if f[1] == "-" {
			e.Packages = nil
		}
		if len(f) == 3 {
			e.Text = f[2]
		}
		races = append(races, e)
	}
	switch {
	case sc.Err() != nil:
		return nil, sc.Err()
	case limited.N <= 0:
		return nil, fmt.Errorf("it is larger than %d MB", MaxSize>>20)
	case !known:
		return nil, errors.New("it is empty: -write-baseline writes one")
	}
	return races, nil
}

// VersionError says that a baseline of races has another version. It may be written anew.
type VersionError struct{ Version string }

func (e *VersionError) Error() string {
	return fmt.Sprintf("it has version %s, and this presage reads version %d: write it anew with -write-baseline", e.Version, racesVersion)
}

// checkHead returns an error if a first line is not that of a baseline of races.
func checkHead(line string) error {
	m := racesLine.FindStringSubmatch(line)
	switch {
	case strings.HasPrefix(line, vetHead):
		return errors.New("it is a baseline of presage vet; races have a file of their own")
	case m == nil:
		return fmt.Errorf("it is no baseline of races: its first line does not begin with %q", racesHead)
	case m[1] != fmt.Sprint(racesVersion):
		return &VersionError{m[1]}
	}
	return nil
}

// vetHead begins the first line of a baseline of warnings.
const vetHead = "# What presage vet has found before"

// valid reports whether a word is a fingerprint: twelve hexadecimal digits, and a number if several
// pairs agree in these.
func valid(id string) bool {
	hex, number, several := strings.Cut(id, "-")
	return len(hex) == 12 && strings.Trim(hex, "0123456789abcdef") == "" && (!several || number != "" && strings.Trim(number, "0123456789") == "")
}
