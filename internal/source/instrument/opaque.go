package instrument

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/presage-race/presage/internal/source/plan"
)

var compilerLine = regexp.MustCompile(`^(?:vet: )?([^\s:][^:]*\.go):(\d+)(?::\d+)?: (.*)$`)

// MarkOpaque takes what the go command printed when it failed to build the instrumented program,
// leaves the units that the errors lie in as written (IN4), and emits everything anew. It returns
// how many units it marked: 0 means that the errors are not about emitted code.
func (r *Result) MarkOpaque(output string) (int, error) {
	marked := 0
	mark := func(u *plan.Unit, why string) {
		if u.Opaque == "" && r.refused[u.Key] == "" {
			r.refused[u.Key] = "does not compile: " + why
			marked++
		}
	}
	pkg, why := "", ""
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if path, ok := strings.CutPrefix(line, "# "); ok {
			pkg, _, _ = strings.Cut(path, " ")
			continue
		}
		m := compilerLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[2])
		why = m[3]
		for _, u := range r.unitsAt(m[1], n) {
			mark(u, m[3])
		}
	}
	if marked == 0 && pkg != "" {
		for _, u := range r.Plan.Units {
			if u.Pkg.PkgPath == pkg && len(r.files[pkg]) > 0 {
				mark(u, "package: "+why)
			}
		}
	}
	if marked == 0 {
		return 0, nil
	}
	return marked, r.emit(r.Plan.Program)
}

// unitsAt returns the emitted units that cover a line of a file; file may be relative to any
// directory. If the file is an emitted one, the line has no meaning, and all its units are
// returned.
func (r *Result) unitsAt(file string, line int) []*plan.Unit {
	var all, at []*plan.Unit
	emitted := false
	for _, u := range r.Plan.Units {
		name := u.Pkg.FileName(u.File)
		if over := r.Overlay[name]; over != "" && sameFile(over, file) {
			emitted = true
			all = append(all, u)
			continue
		}
		from, to := u.Pkg.Fset.PositionFor(u.Node.Pos(), true), u.Pkg.Fset.PositionFor(u.Node.End(), true)
		if sameFile(from.Filename, file) && from.Line <= line && line <= to.Line {
			at = append(at, u)
		}
	}
	if emitted {
		return all
	}
	return at
}

// sameFile reports whether the go command may print name for the file abs.
func sameFile(abs, name string) bool {
	name = filepath.Clean(name)
	for strings.HasPrefix(name, ".."+string(filepath.Separator)) {
		name = name[3:]
	}
	return abs == name || strings.HasSuffix(abs, string(filepath.Separator)+name)
}
