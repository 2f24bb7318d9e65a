// Package online reads the races that a program found with the detector inside
// (internal/record/recorder/online), and converts them to those of package report.
//
// # Format
//
// Each process writes a file of lines, with fields separated by tabs. The writer is
// internal/record/recorder/_online/runtime/presage_report.go.
//
//	race   kind  kind of the earlier access  address  goroutine  goroutine of the earlier access
//	at     function  line  file    the frames of the access, the innermost first
//	old    function  line  file    where the earlier access was, with what is inlined there
//	go     function  line  file    the go statement that started the goroutine
//	oldgo  function  line  file    and that of the earlier one's
//	end
//	begin  parent's process        of a program; a process that executes another one has two
//	count  name  number            at the end of the process: the uses of each rule,
//	blind  name  number            and of operations without hooks
//	exit                           after the counts
//
// # Meaning
//
// The first race of a location is observed: the failed check shows that nothing orders the two
// accesses in this run. Later races of the location are candidates, as in package fasttrack: the
// first one may have changed the rest of the run.
//
// The program knows lines only. Column, expression and object come from a site of the plan on that
// line with the same kind of access: one with the object of the other side, or else the first. So
// the race has the ID that prediction gives it.
//
// # Incomplete files
//
// A file that ends within a race is of a killed process; the races before are complete. A program
// with a begin and no exit has not reported the losses of its detector, and is counted: it ended
// by a panic, a fatal error or a signal, or executed another program in its place. Of the
// processes that a program started, those are known that have a file with the program as the
// parent.
package online

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Found is one race as the program reported it.
type Found struct {
	Kind, OldKind  string
	Addr           uint64
	G, OldG        int
	From, OldFrom  int // the goroutines that started them, 0 if not known
	At, Old        []Frame
	Created, OldBy []Frame
	Process        string // name of its file
	First          bool   // of its location
}

// Frame is a call.
type Frame struct {
	Func, File string
	Line       int
}

// Result is the reports of the processes of a run.
type Result struct {
	Found     []Found
	Counts    []Count
	Processes int
	Cut       int // programs that ended without their counts

	// Blind counts operations without hooks: starts of processes without a file, calls into C,
	// accesses to memory other than Go's, loads of plugins.
	Blind struct{ Started, IntoC, Foreign, Plugins int64 }
}

// Count is a counter of the detector.
type Count struct {
	Name string
	N    int64
}

// Read reads the files in dir.
func Read(dir string) (*Result, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.races"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	r := &Result{Processes: len(files)}
	parents := make(map[string]string) // by process
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		err = r.read(f, filepath.Base(name), parents)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
	}
	for _, parent := range parents {
		if parents[parent] != "" {
			r.Blind.Started = max(r.Blind.Started-1, 0)
		}
	}
	return r, nil
}

// read adds what one process reported, and its parent to parents.
func (r *Result) read(f io.Reader, process string, parents map[string]string) error {
	var at *Found
	seen := make(map[uint64]bool)
	for s := bufio.NewScanner(f); ; {
		if !s.Scan() {
			return s.Err() // at may be incomplete: the process was killed
		}
		fields := strings.Split(s.Text(), "\t")
		switch {
		case fields[0] == "race" && len(fields) == 6:
			at = &Found{Kind: fields[1], OldKind: fields[2], Process: process}
			at.Addr, _ = strconv.ParseUint(fields[3], 0, 64)
			at.G, _ = strconv.Atoi(fields[4])
			at.OldG, _ = strconv.Atoi(fields[5])
		case fields[0] == "begin" && len(fields) == 2:
			r.Cut++
			parents[process] = fields[1] + filepath.Ext(process)
		case fields[0] == "exit":
			r.Cut--
		case fields[0] == "count" && len(fields) == 3:
			n, _ := strconv.ParseInt(fields[2], 10, 64)
			r.count(fields[1], n)
		case fields[0] == "blind" && len(fields) == 3:
			n, _ := strconv.ParseInt(fields[2], 10, 64)
			r.blind(fields[1], n)
		case at == nil:
		case fields[0] == "end":
			at.First = !seen[at.Addr]
			seen[at.Addr] = true
			r.Found = append(r.Found, *at)
			at = nil
		case fields[0] == "from" && len(fields) == 3:
			at.From, _ = strconv.Atoi(fields[1])
			at.OldFrom, _ = strconv.Atoi(fields[2])
		case len(fields) == 4:
			at.frame(fields)
		}
	}
}

func (f *Found) frame(fields []string) {
	line, _ := strconv.Atoi(fields[2])
	x := Frame{Func: fields[1], File: fields[3], Line: line}
	switch fields[0] {
	case "at":
		f.At = append(f.At, x)
	case "old":
		f.Old = append(f.Old, x)
	case "go":
		f.Created = append(f.Created, x)
	case "oldgo":
		f.OldBy = append(f.OldBy, x)
	}
}

func (r *Result) count(name string, n int64) {
	for i := range r.Counts {
		if r.Counts[i].Name == name {
			r.Counts[i].N += n
			return
		}
	}
	r.Counts = append(r.Counts, Count{name, n})
}

func (r *Result) blind(name string, n int64) {
	switch name {
	case "Started":
		r.Blind.Started += n
	case "IntoC":
		r.Blind.IntoC += n
	case "Foreign":
		r.Blind.Foreign += n
	case "Plugins":
		r.Blind.Plugins += n
	}
}

// String is a race in one line.
func (f *Found) String() string {
	where := func(stack []Frame) string {
		if len(stack) == 0 {
			return "an unknown place"
		}
		return fmt.Sprintf("%s:%d (%s)", stack[0].File, stack[0].Line, stack[0].Func)
	}
	return fmt.Sprintf("%s by goroutine %d at %s, earlier %s by goroutine %d at %s", f.Kind, f.G, where(f.At), f.OldKind, f.OldG, where(f.Old))
}
