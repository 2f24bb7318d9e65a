package suppress

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/report"
	"github.com/presage-race/presage/internal/static/baseline"
	"github.com/presage-race/presage/internal/static/ignore"
	"github.com/presage-race/presage/internal/static/revision"
)

// Options say what suppresses races, besides comments.
type Options struct {
	Dir      string           // of the command; "": the working directory
	Baseline string           // a file; "": none
	Write    bool             // the baseline is written, with what was found
	Since    string           // a revision; "": none
	Ignore   []*regexp.Regexp // of names of files below the root, of functions, and of memory
}

// Sieve decides which races are suppressed.
type Sieve struct {
	o       Options
	sources *sources
	known   []baseline.Race
	changes *revision.Changes // nil: all is new
}

// New reads the baseline, and what has changed since the revision.
func New(ctx context.Context, o Options) (*Sieve, error) {
	s := &Sieve{o: o}
	var err error
	if s.sources, err = newSources(o.Dir); err != nil {
		return nil, err
	}
	if o.Baseline != "" {
		s.known, err = readBaseline(o.Baseline)
		version := (*baseline.VersionError)(nil)
		if o.Write && (errors.Is(err, fs.ErrNotExist) || errors.As(err, &version)) {
			err = nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading the baseline %s: %w", o.Baseline, err)
		}
		if st, err := os.Stat(filepath.Dir(o.Baseline)); o.Write && (err != nil || !st.IsDir()) {
			return nil, fmt.Errorf("writing the baseline %s: there is no directory %s", o.Baseline, filepath.Dir(o.Baseline))
		}
	}
	if o.Since != "" {
		dir := o.Dir
		if dir == "" {
			dir = "."
		}
		if s.changes, err = revision.ChangesSince(ctx, dir, o.Since); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func readBaseline(name string) ([]baseline.Race, error) {
	switch st, err := os.Stat(name); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w (-write-baseline makes one)", fs.ErrNotExist)
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return baseline.ReadRaces(f)
}

// Result is what a sieve has found.
type Result struct {
	Suppressed []*report.Suppressed
	Counts     *report.Suppressions // nil: there is nothing to count
	Written    int                  // entries of the baseline, if it was written
	Retained   int                  // of these, from before: their packages were not run whole
}

// Suppressed returns those of the races, which are all of a report, that are suppressed.
func (s *Sieve) Suppressed(races []*report.Race) []*report.Suppressed {
	comments, rest := s.comments(races)
	return s.suppressed(races, comments, rest)
}

// comments returns the comments at races, and the races without one.
func (s *Sieve) comments(races []*report.Race) (at map[*report.Race]*ignore.Directive, rest []*report.Race) {
	at = map[*report.Race]*ignore.Directive{}
	for _, r := range races {
		if d := s.sources.comment(r); d != nil {
			at[r] = d
		} else {
			rest = append(rest, r)
		}
	}
	return at, rest
}

func (s *Sieve) suppressed(races []*report.Race, comments map[*report.Race]*ignore.Directive, rest []*report.Race) (list []*report.Suppressed) {
	known := s.knows(rest)
	for _, r := range races {
		m := &report.Suppressed{Race: r}
		switch d := comments[r]; {
		case d != nil:
			m.By, m.Reason = report.ByComment, d.Reason
			m.Comment = &report.Position{File: d.Pos.Filename, Line: d.Pos.Line}
		case s.ignored(r) != "":
			m.By, m.Reason = report.ByPattern, s.ignored(r)
		case known[fingerprint(r.ID)]:
			m.By = report.ByBaseline
		case s.changes != nil && !s.sources.changed(r, s.changes):
			m.By = report.ByRevision
		default:
			continue
		}
		list = append(list, m)
	}
	return list
}

// ignored returns the pattern that matches a race; "" if none does.
func (s *Sieve) ignored(r *report.Race) string {
	names := []string{r.Name()}
	for _, a := range []*report.Access{&r.A, &r.B} {
		names = append(names, filepath.ToSlash(s.sources.below(a.File)), a.Func)
	}
	for _, re := range s.o.Ignore {
		if slices.ContainsFunc(names, re.MatchString) {
			return re.String()
		}
	}
	return ""
}

// Sift returns those of the races, which are all of a report, that are suppressed. before are those
// that the report has as suppressed, and whole the packages that were run whole. It writes the
// baseline if that is wanted.
func (s *Sieve) Sift(races []*report.Race, before []*report.Suppressed, whole []string) (res Result, err error) {
	comments, rest := s.comments(races)
	found, toWrite := races, rest
	for _, m := range before {
		found = append(slices.Clip(found), m.Race)
		if m.By != report.ByComment {
			toWrite = append(slices.Clip(toWrite), m.Race)
		}
	}
	gone := s.gone(found, whole)
	if s.o.Write {
		if err := s.write(toWrite, found, gone, &res); err != nil {
			return res, err
		}
	}
	counts := &report.Suppressions{File: s.o.Baseline, Revision: s.o.Since, Gone: gone}
	res.Suppressed = s.suppressed(races, comments, rest)
	for _, m := range res.Suppressed {
		counts.Add(m)
	}
	if counts.Count() > 0 || s.o.Baseline != "" || s.o.Since != "" {
		res.Counts = counts
	}
	return res, nil
}

// Comments reads the comments of more files, so that those that are wrong are found, and shares
// those that the static lens has read.
func (s *Sieve) Comments(files []string, lens *ignore.Set) {
	s.sources.also = lens
	for _, name := range files {
		s.sources.mentions(name)
	}
}

// Problems are the comments that are wrong, with their positions.
func (s *Sieve) Problems() []string { return s.sources.problemsOf() }

// fingerprint is an ID without the number that tells races of one report apart.
func fingerprint(id string) string {
	id, _, _ = strings.Cut(id, "-")
	return id
}

// knows returns the fingerprints of races that are known.
func (s *Sieve) knows(races []*report.Race) map[string]bool {
	entries, now, known := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, e := range s.known {
		entries[fingerprint(e.ID)]++
	}
	for _, r := range races {
		now[fingerprint(r.ID)]++
	}
	for f, n := range now {
		known[f] = n <= entries[f]
	}
	return known
}

// gone returns the entries of the baseline that are gone.
func (s *Sieve) gone(found []*report.Race, whole []string) (ids []string) {
	for _, e := range s.known {
		has := slices.ContainsFunc(found, func(r *report.Race) bool { return r.ID == e.ID })
		lacks := slices.ContainsFunc(e.Packages, func(p string) bool { return !slices.Contains(whole, p) })
		if !has && !lacks && len(e.Packages) > 0 {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// write writes the baseline: the races found that no comment suppresses, and the entries that were
// not found and are not gone.
func (s *Sieve) write(rest, all []*report.Race, gone []string, res *Result) error {
	var entries []baseline.Race
	for _, r := range rest {
		entries = append(entries, entry(r))
	}
	for _, e := range s.known {
		if !slices.Contains(gone, e.ID) && !slices.ContainsFunc(all, func(r *report.Race) bool { return r.ID == e.ID }) {
			entries = append(entries, e)
			res.Retained++
		}
	}
	var b bytes.Buffer
	if err := baseline.WriteRaces(&b, entries); err != nil {
		return err
	}
	if err := os.WriteFile(s.o.Baseline, b.Bytes(), 0o600); err != nil {
		return fmt.Errorf("writing the baseline: %w", err)
	}
	s.known, res.Written = entries, len(entries)
	return nil
}

// entry is a race as a baseline has it.
func entry(r *report.Race) baseline.Race {
	var packages []string
	note := func(name string) {
		if p := packageOf(name); p != "" && p != "testing" && p != "runtime" && !slices.Contains(packages, p) {
			packages = append(packages, p)
		}
	}
	for _, a := range []*report.Access{&r.A, &r.B} {
		note(a.Func)
		note(a.Goroutine.Func)
		for _, frames := range [][]report.Frame{a.Stack, a.Goroutine.Created} {
			for _, f := range frames {
				note(f.Func)
			}
		}
	}
	slices.Sort(packages)
	short := func(name string) string { return name[strings.LastIndex(name, "/")+1:] }
	return baseline.Race{ID: r.ID, Packages: packages,
		Text: fmt.Sprintf("%s: %s in %s, %s in %s", r.Name(), r.A.Kind, short(r.A.Func), r.B.Kind, short(r.B.Func))}
}

// packageOf is the package of a function by its name in a stack trace. An external test belongs to
// the package that it tests.
func packageOf(name string) string {
	slash := strings.LastIndex(name, "/") + 1
	dot := strings.Index(name[slash:], ".")
	if dot < 0 {
		return ""
	}
	return strings.TrimSuffix(name[:slash+dot], "_test")
}
