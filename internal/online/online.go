// Package online reads what a program with the detector inside (internal/record/recorder/online)
// has found, and says it as package report does.
//
// Each process writes a file of lines, of fields between tabs
// (internal/record/recorder/_online/runtime/presage_report.go has the other side):
//
//	race   kind  kind of the earlier access  address  goroutine  goroutine of the earlier access
//	at     function  line  file    the frames of the access, the innermost first
//	old    function  line  file    where the earlier access was, with what is inlined there
//	go     function  line  file    the go statement that started the goroutine
//	oldgo  function  line  file    and that of the earlier one's
//	end
//	begin  parent's process        of a program; one that executes another has two
//	count  name  number            at the end of the process: what each rule did,
//	blind  name  number            and what the detector has no hooks in
//	exit                           behind the counts
//
// # Rules
//
//	(O1) The first race of a location is observed: the check that failed says that nothing orders
//	     the two accesses in this very run. Later ones of the location are candidates, as package
//	     fasttrack has it: the first may have changed what came after.
//	(O2) The program knows lines. Column, expression and object are those of the plan's site on
//	     that line with the same kind of access; of several, of one that has the other side's
//	     object, else the first. So the ID is the one that prediction gives the race.
//	(O3) A file that ends in the middle of a race is that of a process that was killed: what
//	     stands before is whole. A program that began and has no exit (a panic, a fatal error, a
//	     signal, a program executed in its place) has not said what its detector gave up: it is
//	     counted.
//	(O4) Of the processes that a program has started, those are seen that have a file and the
//	     program for their parent.
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
	First          bool   // of its location (O1)
}

// Frame is a call.
type Frame struct {
	Func, File string
	Line       int
}

// Result is what the processes of a run have reported.
type Result struct {
	Found     []Found
	Counts    []Count
	Processes int
	Cut       int // programs that ended without their counts (O3)

	// Blind is what was done where the detector has no hooks: processes that were started and are
	// not seen (O4), calls into C, accesses to memory that is not Go's, plugins loaded.
	Blind struct{ Started, IntoC, Foreign, Plugins int64 }
}

// Count is a figure of the detector.
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
			return s.Err() // (O3)
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
