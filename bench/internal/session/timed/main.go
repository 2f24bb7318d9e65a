// Command timed is what the go command runs in place of a program (-exec). It runs the program and
// appends to a file what the program took: CPU and wall seconds, its peak memory in KiB, of its
// raw records the bytes and the number, and when it began, in seconds since 1970.
//
//	timed file keep|size|drop variable program [argument ...]
//
// variable is the name of the environment variable that holds the directory of raw records. With
// size the records are kept and not counted: their number is 0. With drop they are removed, and
// their number is 0 as well. The bytes are those of all processes with the same directory.
//
// The system counts the memory of the process that starts a program in the program's peak, since
// both have the same memory until the program begins. So this command is small.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/presage-race/presage/internal/record/recorder/rawfile"
)

func main() {
	file, raws, variable, args := os.Args[1], os.Args[2], os.Args[3], os.Args[4:]
	code, err := run(file, raws, os.Getenv(variable), args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "timed:", err)
		code = 1
	}
	os.Exit(code)
}

// run runs the program and returns its exit code.
func run(file, raws, raw string, args []string) (code int, err error) {
	start := time.Now()
	p, err := os.StartProcess(args[0], args, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return 0, err
	}
	s, err := p.Wait()
	wall := time.Since(start)
	if err != nil {
		return 0, err
	}
	bytes, records, err := rawRecords(raw, raws)
	if err != nil {
		return 0, err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return 0, err
	}
	cpu := s.UserTime() + s.SystemTime()
	fmt.Fprintln(f, cpu.Seconds(), wall.Seconds(), s.SysUsage().(*syscall.Rusage).Maxrss, bytes, records, float64(start.UnixNano())/1e9)
	return s.ExitCode(), f.Close()
}

// rawRecords returns the bytes and the number of the raw records of all processes below dir.
func rawRecords(dir, raws string) (bytes, records int64, err error) {
	if dir == "" {
		return 0, 0, nil // not recorded
	}
	processes, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return 0, 0, err
	}
	for _, process := range processes {
		files, err := filepath.Glob(filepath.Join(process, "*"))
		if err != nil {
			return 0, 0, err
		}
		if raws == "keep" {
			n, err := rawfile.Count(process)
			if err != nil {
				return 0, 0, err
			}
			records += n
		}
		for _, name := range files {
			if st, err := os.Stat(name); err == nil {
				bytes += st.Size()
			}
			if raws == "drop" {
				os.Remove(name)
			}
		}
	}
	return bytes, records, nil
}
