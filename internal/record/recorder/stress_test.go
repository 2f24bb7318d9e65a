package recorder_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/presage-race/presage/internal/record/recorder"
	"github.com/presage-race/presage/internal/trace/format"
)

// stress does everything at once, for ever if its argument is "forever".
const stress = `
package main

import (
	"context"
	"fmt"
	"iter"
	"math/rand"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

var (
	mu   sync.Mutex
	rw   sync.RWMutex
	n64  atomic.Int64
	n32  int32
	ptr  atomic.Pointer[int]
	val  atomic.Value
	m    sync.Map
	pool = sync.Pool{New: func() any { return new([64]byte) }}
	chs  []chan int
	sink any
)

func step(r *rand.Rand) {
	switch r.Intn(16) {
	case 0:
		mu.Lock()
		if r.Intn(4) == 0 {
			runtime.Gosched()
		}
		mu.Unlock()
	case 1:
		if mu.TryLock() {
			mu.Unlock()
		}
	case 2:
		rw.RLock()
		if r.Intn(4) == 0 {
			runtime.Gosched()
		}
		rw.RUnlock()
	case 3:
		if rw.TryRLock() {
			rw.RUnlock()
		}
	case 4:
		if r.Intn(2) == 0 {
			rw.Lock()
			rw.Unlock()
		} else if rw.TryLock() {
			rw.Unlock()
		}
	case 5:
		n64.Add(1)
		n64.CompareAndSwap(n64.Load(), 5)
	case 6:
		atomic.AddInt32(&n32, 1)
		atomic.StoreInt32(&n32, int32(r.Intn(9)))
	case 7:
		ptr.Store(new(int))
		ptr.CompareAndSwap(ptr.Load(), nil)
	case 8:
		val.Store(r.Intn(100))
		m.Store(r.Intn(20), new(int))
		m.Load(r.Intn(20))
	case 9:
		x := pool.Get()
		pool.Put(x)
	case 10, 11:
		c := chs[r.Intn(len(chs))]
		select {
		case c <- r.Intn(1000):
		default:
		}
	case 12, 13:
		a, b := chs[r.Intn(len(chs))], chs[r.Intn(len(chs))]
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.Intn(300))*time.Microsecond)
		select {
		case a <- 1:
		case <-b:
		case <-ctx.Done():
		}
		cancel()
	case 14:
		next, stop := iter.Pull(func(yield func(int) bool) { _ = yield(1) && yield(2) })
		next()
		stop()
		sink = len(chs[0])
	case 15:
		var wg sync.WaitGroup
		var once sync.Once
		c := make(chan int)
		for i := range 3 {
			wg.Go(func() { once.Do(func() { runtime.Gosched() }); if i > 0 { <-c } })
		}
		wg.Add(1)
		go func() { defer wg.Done(); c <- 1; close(c); runtime.Goexit() }()
		wg.Wait()
		var l sync.Mutex
		cond := sync.NewCond(&l)
		woken := 0
		for range 3 {
			wg.Go(func() { l.Lock(); woken++; cond.Wait(); l.Unlock() })
		}
		for done := false; !done; {
			l.Lock()
			done = woken == 3
			l.Unlock()
			runtime.Gosched()
		}
		cond.Signal()
		cond.Broadcast()
		wg.Wait()
	}
}

func main() {
	for i := range 6 {
		chs = append(chs, make(chan int, i/2))
	}
	forever := len(os.Args) > 1
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			r := rand.New(rand.NewSource(int64(i)))
			for j := 0; forever || j < 2000; j++ {
				step(r)
				if j%500 == 0 {
					runtime.GC()
				}
			}
		})
	}
	wg.Wait()
	fmt.Println("done")
}
`

// TestStress runs everything at once: the records must be an execution, whatever the number of
// processors.
func TestStress(t *testing.T) {
	bin := build(t, []byte(stress))
	for _, procs := range []string{"1", "2", "8"} {
		out, dir, err := run(t, bin, "GOMAXPROCS="+procs)
		if err != nil || out != "done\n" {
			t.Fatalf("GOMAXPROCS=%s: %v\n%.2000s", procs, err, out)
		}
		p := read(t, dir)
		if err := validate(p); err != nil {
			t.Errorf("GOMAXPROCS=%s: %v", procs, err)
		}
		seen := map[format.Kind]int{}
		for _, s := range p.Streams {
			for r := range s.Records() {
				seen[r.Kind]++
			}
		}
		for k := format.Kind(1); k < format.Max; k++ {
			switch k {
			case format.Join, format.OpaqueBegin, format.OpaqueEnd, format.Enter, format.Exit, format.Block, format.Value, format.Word, format.Release:
			case format.MethodBegin, format.MethodEnd, format.Reach, format.ReachGo, format.ReachSet:
				// of traces of others only
			default:
				if k.Valid() && seen[k] == 0 {
					t.Errorf("GOMAXPROCS=%s: no %v at all", procs, k)
				}
			}
		}
		t.Logf("GOMAXPROCS=%s: %d streams, %v", procs, len(p.Streams), seen)
	}
}

// TestKill kills the program at random moments: what it left must be an execution. On a machine
// with much to do it may be killed before it began: such tries are made again, later and later.
func TestKill(t *testing.T) {
	bin := build(t, []byte(stress))
	early := time.Duration(1)
	for n := 0; n < 12; {
		dir := t.TempDir()
		cmd := program(bin, "forever")
		cmd.Env = append(os.Environ(), recorder.EnvDir+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		d := early * time.Duration(rand.IntN(120_000)) * time.Microsecond
		time.Sleep(d)
		cmd.Process.Kill()
		cmd.Wait()
		sub, _ := filepath.Glob(filepath.Join(dir, "*"))
		if len(sub) == 0 && d < 10*time.Second {
			early++
			continue
		}
		if n++; len(sub) != 1 {
			t.Fatalf("after %v: %v", d, sub)
		}
		p := read(t, sub[0])
		if err := validate(p); err != nil {
			t.Errorf("killed after %v: %v", d, err)
		}
	}
}

const many = `
package main

import (
	"fmt"
	"runtime"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	start := make(chan int)
	for range 100_000 {
		wg.Go(func() { <-start })
	}
	close(start)
	wg.Wait()
	for runtime.NumGoroutine() > 1 { // Wait returns at the last Done, which is not the last end
		runtime.Gosched()
	}
	fmt.Println("done")
}
`

// TestMany: 100,000 goroutines alive at once.
func TestMany(t *testing.T) {
	bin := build(t, []byte(many))
	out, dir, err := run(t, bin)
	if err != nil || out != "done\n" {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	p := read(t, dir)
	if err := validate(p); err != nil {
		t.Error(err)
	}
	ends := 0
	for _, s := range p.Streams {
		for r := range s.Records() {
			if r.Kind == format.End {
				ends++
			}
		}
	}
	if ends != 100_000 {
		t.Errorf("%d goroutines ended", ends)
	}
}

const stopping = `
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

func main() {
	dirs, _ := filepath.Glob(os.Getenv("PRESAGE_DIR") + "/*")
	if len(os.Args) < 2 && len(dirs) == 1 { // no room for further segments from now on
		os.Rename(dirs[0], dirs[0]+"-moved")
	}
	os.Chdir("/")
	if len(os.Args) > 2 { // others begin too
		os.Stdin.Read(make([]byte, 1))
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 8 {
		wg.Go(func() {
			for range 20_000 {
				mu.Lock()
				n++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	fmt.Println(n)
}
`

// TestStopped: a program that cannot record any more runs on, and what it recorded before is an
// execution.
func TestStopped(t *testing.T) {
	bin := build(t, []byte(stopping))
	out, dir, err := run(t, bin)
	if err != nil || out != "160000\n" {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	p := read(t, dir+"-moved")
	if p.Stopped != format.StopNoFile || p.StopAt == 0 {
		t.Errorf("stopped because %v at %d", p.Stopped, p.StopAt)
	}
	if err := validate(p); err != nil {
		t.Error(err)
	}
	locks := 0
	for _, s := range p.Streams {
		for r := range s.Records() {
			if r.Kind == format.Lock {
				locks++
			}
		}
	}
	if locks < 1000 || locks >= 160_000 {
		t.Errorf("%d locks recorded", locks)
	}

	// No room on the disk, or as good as: files may not have more than 3 MB.
	disk := t.TempDir()
	sh := exec.Command("sh", "-c", `ulimit -f 6144 && exec "$0" stay`, bin)
	sh.Env = append(os.Environ(), recorder.EnvDir+"="+disk)
	if out, err := sh.CombinedOutput(); err != nil || string(out) != "160000\n" {
		t.Errorf("with small files: %v\n%s", err, out)
	}
	p = read(t, filepath.Join(disk, fmt.Sprint(sh.Process.Pid)))
	if p.Stopped != format.StopNoDisk {
		t.Errorf("with small files stopped because %v", p.Stopped)
	}
	if err := validate(p); err != nil {
		t.Error(err)
	}

	// The directory of the variable is the one it was at the start.
	rel := exec.Command(bin, "stay")
	rel.Dir = t.TempDir()
	rel.Env = append(os.Environ(), recorder.EnvDir+"=.")
	if out, err := rel.CombinedOutput(); err != nil || string(out) != "160000\n" {
		t.Errorf("with a relative directory: %v\n%s", err, out)
	}
	if p := read(t, filepath.Join(rel.Dir, fmt.Sprint(rel.Process.Pid))); p.Stopped != format.NotStopped {
		t.Errorf("with a relative directory stopped because %v", p.Stopped)
	}

	// No directory at all: nothing is recorded, nothing else changes.
	cmd := exec.Command(bin, "stay")
	cmd.Env = append(os.Environ(), recorder.EnvDir+"="+filepath.Join(t.TempDir(), "missing"))
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "160000\n" {
		t.Errorf("without a directory: %v\n%s", err, out)
	}
}

// Each turn of the loop promises more room than it uses, as a record does that is short where the
// last one at its site was like it.
const promising = `
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"presagert"
	"unsafe"
)

var x int

func main() {
	g := presagert.Enter(56<<56 | 10)
	c := make(chan int)
	for i := range 500_000 {
		if i == 400_000 && os.Getenv("STOP") != "" {
			dirs, _ := filepath.Glob(os.Getenv("PRESAGE_DIR") + "/*")
			os.Rename(dirs[0], dirs[0]+"-moved")
		}
		g.Block(58<<56|11, 7)
		select {
		case <-c:
		default:
		}
		x++
		g.W3(2<<56|8<<32|12, unsafe.Pointer(&x), uint64(x))
	}
	fmt.Println(x)
}
`

// TestPromises: room that was promised and not used is used for later records. Without it a
// stream took room that grew with the time its goroutine ran, and the program died when its
// recording had stopped.
func TestPromises(t *testing.T) {
	bin := build(t, []byte(promising))
	out, dir, err := run(t, bin)
	if err != nil || out != "500000\n" {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	if err := validate(read(t, dir)); err != nil {
		t.Error(err)
	}
	size := int64(0)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
	}
	if most := int64(500_000 * 8 * 20); size > most {
		t.Errorf("%d bytes for 500,000 turns of less than twenty words, want at most %d", size, most)
	}
	if out, _, err := run(t, bin, "STOP=1"); err != nil || out != "500000\n" {
		t.Errorf("stopped: %v\n%.2000s", err, out)
	}
}
