package testing

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// AllocsPerRun counts what records allocate too, and what escape analysis no longer keeps on the
// stack because of them. So package record runs the tests that call it once without records, where
// presageAllocs writes down each count, and in the recorded run it returns these.

// presageCounts are the counts of a run without records by the call that they are of, those that
// have not been asked for yet.
var presageCounts struct {
	sync.Mutex
	read  bool
	calls map[string][]float64
}

// presageAllocs takes the count of AllocsPerRun, and returns what it is to return. Where there is
// no count of a run without records, that is written down, and the one counted here is
// returned.
func presageAllocs(runs int, counted float64) float64 {
	if file := os.Getenv("PRESAGE_COUNT"); file != "" { // this is the run without records
		presageAppend(file, fmt.Sprintf("%s\t%v\n", presageCall(runs), counted))
		return counted
	}
	dir := os.Getenv("PRESAGE_DIR")
	if dir == "" {
		return counted
	}
	c := &presageCounts
	c.Lock()
	defer c.Unlock()
	if !c.read {
		c.read = true
		c.calls = presageRead(dir + "/allocations")
	}
	call := presageCall(runs)
	list := c.calls[call]
	if len(list) == 0 {
		presageAppend(dir+"/uncounted", call+"\n")
		return counted
	}
	c.calls[call] = list[1:]
	return list[0]
}

// presageCall names a call of AllocsPerRun: the package of the test, the lines on the stack from
// the call to where the test begins, and the number of runs.
func presageCall(runs int) string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs[:])])
	var s strings.Builder
	pkg := ""
	for {
		f, more := frames.Next()
		if f.Function == "testing.tRunner" || f.Function == "" {
			break
		}
		slash := strings.LastIndexByte(f.Function, '/')
		path, _, _ := strings.Cut(f.Function[slash+1:], ".")
		pkg = f.Function[:slash+1] + path
		fmt.Fprintf(&s, " %s:%d", f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
		if !more {
			break
		}
	}
	return fmt.Sprintf("%s%s %d", pkg, &s, runs)
}

func presageRead(file string) map[string][]float64 {
	data, _ := os.ReadFile(file) // none: nothing has been counted
	calls := map[string][]float64{}
	for line := range strings.Lines(string(data)) {
		call, count, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if n, err := strconv.ParseFloat(count, 64); err == nil {
			calls[call] = append(calls[call], n)
		}
	}
	return calls
}

// presageAppend adds a line to a file that other processes add to as well.
func presageAppend(file, line string) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	f.WriteString(line)
	f.Close()
}
