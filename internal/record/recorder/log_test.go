package recorder_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/record/recorder/rawfile"
	"github.com/presage-race/presage/internal/trace/format"
)

// counting has lines of goroutines that write 1, 2, 3, … Each goroutine of line i ends after a
// while and starts the next, so that boxes go from one to the other, and each line says how far it
// is.
const counting = `
package main

import (
	"fmt"
	"os"
	"os/exec"
	"presagert"
	"strconv"
	"syscall"
	"unsafe"
)

var cells [4]uint64

func line(i int, n uint64, life, total int, done chan bool) {
	g := presagert.Enter(56<<56 | 1)
	for range life {
		g.Block(58<<56|2, 3)
		n++
		cells[i] = n
		g.W3(2<<56|8<<32|uint64(100+i), unsafe.Pointer(&cells[i]), n)
		if n%20_000 == 0 {
			fmt.Println(i, n)
		}
	}
	g.Exit(57<<56 | 1)
	if n < uint64(total) {
		go line(i, n, 3*life%70_001, total, done)
		return
	}
	switch os.Args[2] {
	case "exit":
		os.Exit(0)
	case "panic":
		panic("the end")
	case "exec":
		syscall.Exec("/bin/true", []string{"true"}, os.Environ())
	case "child":
		if out, err := exec.Command(os.Args[0], "0", "return").CombinedOutput(); err != nil {
			panic(string(out))
		}
	}
	done <- true
}

func main() {
	total, _ := strconv.Atoi(os.Args[1])
	done := make(chan bool)
	for i := range cells {
		go line(i, 0, 1+i*i*i*100, total, done)
	}
	for range cells {
		<-done
	}
}
`

// counts checks that the writes of each line are 1, 2, 3, …, each once and in order within its
// goroutine, and returns the last ones.
func counts(t *testing.T, p *rawfile.Process) (last [4]int) {
	t.Helper()
	if err := validate(p); err != nil {
		t.Error(err)
	}
	seen := [4]map[uint64]bool{{}, {}, {}, {}}
	for i := range p.Streams {
		prev := uint64(0)
		for r := range p.Streams[i].Records() {
			if r.Kind == format.Write && r.Site >= 100 && r.Site <= 103 {
				if n := r.Words[1]; prev != 0 && n != prev+1 || seen[r.Site-100][n] {
					t.Fatalf("stream %d: %d after %d", p.Streams[i].ID, n, prev)
				}
				l := r.Site - 100
				prev = r.Words[1]
				seen[l][prev] = true
				last[l] = max(last[l], int(prev))
			}
		}
	}
	for l := range seen {
		if len(seen[l]) != last[l] {
			t.Errorf("line %d: %d writes up to %d", l, len(seen[l]), last[l])
		}
	}
	return last
}

// TestLog: what is written to the log is all there, whatever box it was in, on any file system,
// however the program ends.
func TestLog(t *testing.T) {
	bin := build(t, []byte(counting))
	dirs := []string{t.TempDir()}
	if d, err := os.MkdirTemp("/dev/shm", "presage"); err == nil {
		t.Cleanup(func() { os.RemoveAll(d) })
		dirs = append(dirs, d)
	}
	const total = 300_000
	for _, dir := range dirs {
		for _, end := range []string{"return", "exit", "panic", "exec", "child"} {
			cmd := program(bin, fmt.Sprint(total), end)
			cmd.Env = append(os.Environ(), recorder.EnvDir+"="+dir)
			if out, err := cmd.CombinedOutput(); (err != nil) != (end == "panic") {
				t.Fatalf("%s: %v\n%s", end, err, out)
			}
			sub := filepath.Join(dir, fmt.Sprint(cmd.Process.Pid))
			done := 0
			for _, n := range counts(t, read(t, sub)) {
				if n >= total {
					done++
				}
			}
			if done < 1 || done < 4 && (end == "return" || end == "child") {
				t.Errorf("%s, %s: %d lines to the end", dir, end, done)
			}
			if logs, _ := filepath.Glob(filepath.Join(sub, "*.log")); len(logs) < 2 {
				t.Errorf("%s, %s: logs %v", dir, end, logs)
			}
			os.RemoveAll(sub)
		}
	}
}

// TestLogKill kills it at random moments: everything that was announced is there.
func TestLogKill(t *testing.T) {
	bin := build(t, []byte(counting))
	for range 10 {
		dir := t.TempDir()
		cmd := program(bin, "1000000000", "return")
		cmd.Env = append(os.Environ(), recorder.EnvDir+"="+dir)
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		d := time.Duration(rand.IntN(40_000)) * time.Microsecond
		time.AfterFunc(d, func() { cmd.Process.Kill() })
		var said [4]int
		for lines := bufio.NewScanner(pipe); lines.Scan(); {
			var l, n int
			if k, _ := fmt.Sscanf(lines.Text()+"\n", "%d %d\n", &l, &n); k == 2 && n%20_000 == 0 {
				said[l] = n
			}
		}
		cmd.Wait()
		sub, _ := filepath.Glob(filepath.Join(dir, "*"))
		if len(sub) == 0 && said == [4]int{} {
			continue // before it began, which on a busy machine may be late
		}
		if len(sub) != 1 {
			t.Fatalf("after %v: %v", d, sub)
		}
		last := counts(t, read(t, sub[0]))
		for l := range said {
			if last[l] < said[l] {
				t.Errorf("killed after %v: line %d said %d, recorded %d", d, l, said[l], last[l])
			}
		}
		t.Logf("killed after %v: said %v, recorded %v", d, said, last)
		os.RemoveAll(dir)
	}
}
