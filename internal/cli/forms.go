package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/report"
)

// form is one form of a report: what -format says.
type form struct {
	*report.Format
	file string // that it is written to; "": standard output
}

// forms are all forms of a report. It is the value of flag -format: names of forms with commas
// between them, each with a file behind it, as sarif=race.sarif, but for at most one, which goes to
// standard output.
type forms []form

// Set adds forms.
func (f *forms) Set(value string) error {
	for _, word := range strings.Split(value, ",") {
		name, file, inFile := strings.Cut(word, "=")
		i := slices.IndexFunc(report.Formats, func(f report.Format) bool { return f.Name == name })
		switch {
		case i < 0:
			return usagef("-format %q: presage help report has those that there are", name)
		case inFile && file == "":
			return usagef("-format %s: the name of the file is missing", word)
		case !inFile && name == "gotrace":
			return usagef("-format gotrace: it is no text; write it to a file, as gotrace=name")
		case !inFile && f.stdout() != nil:
			return usagef("-format %s: only one form can go to standard output; write the others to files, as %[1]s=name", name)
		}
		*f = append(*f, form{&report.Formats[i], file})
	}
	return nil
}

// String implements pflag.Value.
func (f *forms) String() string {
	var words []string
	for _, x := range *f {
		words = append(words, strings.TrimSuffix(x.Name+"="+x.file, "="))
	}
	return strings.Join(words, ",")
}

// Type implements pflag.Value.
func (f *forms) Type() string { return "forms" }

// stdout is the form of standard output, nil if none is given.
func (f forms) stdout() *report.Format {
	for _, x := range f {
		if x.file == "" {
			return x.Format
		}
	}
	return nil
}

// forProgram reports whether standard output is for a program to read: nothing else may be there.
func (f forms) forProgram(asJSON bool) bool {
	x := f.stdout()
	return asJSON || x != nil && x.Name != "text" && x.Name != details
}

// details is the name of the form that has all of each race.
const details = "details"

// verbose takes that form for standard output, if no other one is given.
func (f *forms) verbose(asJSON bool) {
	if f.stdout() == nil && !asJSON {
		f.Set(details)
	}
}

// check finds what does not go together. Command lines of earlier runs are checked, too.
func (f forms) check(asJSON bool) error {
	if x := f.stdout(); asJSON && x != nil {
		return usagef("-json and -format %s are both for standard output: write the form to a file, as -format %[1]s=name", x.Name)
	}
	return nil
}

// places finds directories of files that are not there, before anything runs.
func (f forms) places() error {
	for _, x := range f {
		if dir := filepath.Dir(x.file); x.file != "" {
			if st, err := os.Stat(dir); err != nil || !st.IsDir() {
				return usagef("-format %s=%s: there is no directory %s", x.Name, x.file, dir)
			}
		}
	}
	return nil
}

// printer returns the Handler that writes a report in all its forms, and what ends their files.
// Without a form for standard output, that is JSON or text. What cannot be opened is an error of
// end: the other forms are written.
func (f forms) printer(stdout io.Writer, asJSON bool) (h report.Handler, end func() error) {
	others, end := f.others(stdout, asJSON)
	return report.Tee(f.main(stdout, asJSON), others), end
}

// main returns the Handler of standard output.
func (f forms) main(stdout io.Writer, asJSON bool) report.Handler {
	if x := f.stdout(); x != nil {
		return x.New(stdout, textOptions(stdout))
	}
	return newPrinter(stdout, asJSON)
}

// others returns the Handler of the forms in files. GitHub Actions gets annotations besides a text.
func (f forms) others(stdout io.Writer, asJSON bool) (h report.Handler, end func() error) {
	h, end = f.files()
	if os.Getenv("GITHUB_ACTIONS") == "true" && !f.forProgram(asJSON) {
		h = report.Tee(report.NewGitHub(stdout, textOptions(stdout)), h)
	}
	return h, end
}

// files returns the Handler of the forms in files, and what ends the files.
func (f forms) files() (h report.Handler, end func() error) {
	var all []report.Handler
	var files []*os.File
	var errs []error
	for _, x := range f {
		if x.file == "" {
			continue
		}
		file, err := os.Create(x.file)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		files = append(files, file)
		all = append(all, x.New(file, textOptions(file)))
	}
	return report.Tee(all...), func() error {
		for _, file := range files {
			errs = append(errs, file.Close())
		}
		return errors.Join(errs...)
	}
}
