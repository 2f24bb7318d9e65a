package core

import (
	"bytes"
	"container/heap"
	"container/list"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand"
	randv2 "math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unique"
	"weak"
)

type box struct {
	n    int
	next *box
	s    string
}

func TestContextTree(t *testing.T) {
	root, cancel := context.WithCancelCause(context.Background())
	var wg sync.WaitGroup
	var cause atomic.Value
	for i := range 4 {
		ctx, c := context.WithTimeout(context.WithValue(root, i, i), time.Minute)
		wg.Go(func() {
			defer c()
			<-ctx.Done()
			cause.Store(context.Cause(ctx).Error())
		})
	}
	x := 0
	stopped := make(chan bool)
	context.AfterFunc(root, func() { x++; close(stopped) })
	x = 5
	cancel(errors.New("why"))
	wg.Wait()
	<-stopped
	if x != 6 || cause.Load().(string) != "why" {
		t.Error(x)
	}
}

func TestAfterFunc(t *testing.T) {
	x := &box{n: 1}
	done := make(chan bool)
	time.AfterFunc(time.Millisecond, func() { x.n++; close(done) })
	<-done
	x.n++
	y := 0
	tm := time.AfterFunc(time.Hour, func() { y++; done <- true })
	done = make(chan bool, 1)
	y = 3
	tm.Reset(time.Millisecond)
	<-done
	if y != 4 {
		t.Error(y)
	}
	z := 0
	tm2 := time.AfterFunc(time.Hour, func() { z++ })
	if tm2.Stop() {
		z++
	}
}

func TestTicker(t *testing.T) {
	tk := time.NewTicker(time.Millisecond)
	var mu sync.Mutex
	n := 0
	stop := make(chan bool)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-tk.C:
					mu.Lock()
					n++
					mu.Unlock()
				case <-stop:
					return
				}
			}
		})
	}
	time.Sleep(10 * time.Millisecond)
	tk.Reset(2 * time.Millisecond)
	time.Sleep(5 * time.Millisecond)
	close(stop)
	wg.Wait()
	tk.Stop()
}

func TestSyncMap(t *testing.T) {
	var m sync.Map
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for k := range 10 {
				b := &box{n: k}
				if v, loaded := m.LoadOrStore(k, b); loaded && v.(*box).n != k {
					t.Error("bad")
				}
				if v, ok := m.Load((k + i) % 10); ok {
					_ = v.(*box).n
				}
				switch i {
				case 0:
					m.Swap(k, &box{n: k})
				case 1:
					m.CompareAndSwap(k, b, &box{n: k})
				case 2:
					m.Range(func(k, v any) bool { return v.(*box).n == k.(int) })
				case 3:
					if v, ok := m.LoadAndDelete(k); ok {
						_ = v.(*box).n
					}
				}
			}
		})
	}
	wg.Wait()
	m.Clear()
}

func TestPool(t *testing.T) {
	p := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for range 30 {
				b := p.Get().(*bytes.Buffer)
				b.Reset()
				fmt.Fprintf(b, "%d", i)
				if b.String() != fmt.Sprint(i) {
					t.Error("bad")
				}
				p.Put(b)
				runtime.Gosched()
			}
		})
	}
	wg.Wait()
	runtime.GC()
	p.Get()
}

func TestOnces(t *testing.T) {
	n := 0
	v := sync.OnceValue(func() *box { n++; return &box{n: n} })
	vs := sync.OnceValues(func() (map[string]int, error) { return map[string]int{"a": 1}, nil })
	f := sync.OnceFunc(func() { n += 10 })
	var wg sync.WaitGroup
	v()
	for range 5 {
		wg.Go(func() {
			if v().n != 1 {
				t.Error("bad")
			}
			m, _ := vs()
			_ = m["a"]
			f()
			_ = n
		})
	}
	wg.Wait()
}

type flight struct {
	mu sync.Mutex
	m  map[string]*fcall
}
type fcall struct {
	wg  sync.WaitGroup
	val any
	err error
}

func (g *flight) do(k string, f func() (any, error)) (any, error) {
	g.mu.Lock()
	if g.m == nil {
		g.m = map[string]*fcall{}
	}
	if c, ok := g.m[k]; ok {
		g.mu.Unlock()
		c.wg.Wait()
		return c.val, c.err
	}
	c := new(fcall)
	c.wg.Add(1)
	g.m[k] = c
	g.mu.Unlock()
	c.val, c.err = f()
	c.wg.Done()
	g.mu.Lock()
	delete(g.m, k)
	g.mu.Unlock()
	return c.val, c.err
}

func TestSingleflight(t *testing.T) {
	var g flight
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			v, _ := g.do(fmt.Sprint(i%2), func() (any, error) { time.Sleep(time.Millisecond); return &box{n: i}, nil })
			_ = v.(*box).n
		})
	}
	wg.Wait()
}

func TestErrgroup(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var once sync.Once
	var first error
	var wg sync.WaitGroup
	sem := make(chan struct{}, 2)
	res := make([]int, 6)
	for i := range 6 {
		sem <- struct{}{}
		wg.Add(1)
		go func() {
			defer func() { <-sem; wg.Done() }()
			res[i] = i
			if i == 3 {
				once.Do(func() { first = errors.New("three"); cancel(first) })
			}
		}()
	}
	wg.Wait()
	<-ctx.Done()
	if first == nil || res[5] != 5 {
		t.Error(first)
	}
}

func seq(n *int) iter.Seq[*box] {
	return func(yield func(*box) bool) {
		for i := range 10 {
			*n++
			if !yield(&box{n: i}) {
				*n = -1
				return
			}
		}
	}
}

func TestIterPull(t *testing.T) {
	n := 0
	next, stop := iter.Pull(seq(&n))
	for range 3 {
		b, ok := next()
		if !ok {
			t.Error("bad")
		}
		b.n++
		n++
	}
	done := make(chan bool)
	go func() { // another goroutine goes on
		next()
		n++
		stop()
		close(done)
	}()
	<-done
	if n != -1 {
		t.Error(n)
	}
	next2, stop2 := iter.Pull2(maps.All(map[string]*box{"a": {n: 1}}))
	next2()
	stop2()
}

func TestAtomicValue(t *testing.T) {
	var v atomic.Value
	var p atomic.Pointer[box]
	v.Store([]int{0})
	p.Store(&box{})
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			v.Store([]int{i})
			_ = v.Load().([]int)[0]
			v.Swap([]int{i, i})
			for {
				o := p.Load()
				if p.CompareAndSwap(o, &box{n: o.n + 1, next: o}) {
					break
				}
			}
		})
	}
	wg.Wait()
	if p.Load().n != 4 {
		t.Error(p.Load().n)
	}
}

func TestRandGlobal(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			_ = rand.Intn(10) + randv2.IntN(10)
			rand.Shuffle(3, func(i, j int) {})
			rand.Perm(4)
		})
	}
	wg.Wait()
	rand.Seed(1)
	for range 4 {
		wg.Go(func() { _ = rand.Intn(10); rand.Read(make([]byte, 9)) })
	}
	wg.Wait()
}

type ints []int

func (h ints) Len() int           { return len(h) }
func (h ints) Less(i, j int) bool { return h[i] < h[j] }
func (h ints) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ints) Push(x any)        { *h = append(*h, x.(int)) }
func (h *ints) Pop() any          { o := *h; x := o[len(o)-1]; *h = o[:len(o)-1]; return x }

func TestContainers(t *testing.T) {
	var mu sync.Mutex
	l := list.New()
	h := &ints{}
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			s := []int{3, 1, 2}
			sort.Ints(s)
			slices.Sort(s)
			sort.Slice(s, func(i, j int) bool { return s[i] > s[j] })
			mu.Lock()
			defer mu.Unlock()
			l.PushBack(s)
			heap.Push(h, i)
			if l.Len() > 2 {
				l.Remove(l.Front())
				heap.Pop(h)
			}
		})
	}
	wg.Wait()
	for e := l.Front(); e != nil; e = e.Next() {
		_ = e.Value.([]int)[0]
	}
}

func TestBuilder(t *testing.T) {
	var mu sync.Mutex
	var sb strings.Builder
	var wg sync.WaitGroup
	for i := range 5 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintf(&sb, "%d,", i)
			sb.WriteString(strings.Repeat("x", 10))
		})
	}
	wg.Wait()
	if strings.Count(sb.String(), ",") != 5 {
		t.Error("bad")
	}
}

func TestFinalizers(t *testing.T) {
	var n atomic.Int32
	counts := make([]int, 20)
	func() {
		for i := range 20 {
			b := &box{n: i, s: "x"}
			b.n++
			if i%2 == 0 {
				runtime.SetFinalizer(b, func(b *box) { counts[i] = b.n; b.n = -1; n.Add(1) })
			} else {
				runtime.AddCleanup(b, func(i int) { counts[i] = i; n.Add(1) }, i)
			}
		}
	}()
	for k := 0; n.Load() < 20 && k < 200; k++ {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if n.Load() == 20 && counts[4] != 5 {
		t.Error(counts)
	}
}

func TestWeak(t *testing.T) {
	b := &box{n: 1}
	w := weak.Make(b)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if v := w.Value(); v != nil {
				_ = v.n
			}
		})
	}
	wg.Wait()
	runtime.KeepAlive(b)
	b = nil
	runtime.GC()
	_ = w.Value()
}

func TestUnique(t *testing.T) {
	var wg sync.WaitGroup
	hs := make([]unique.Handle[string], 6)
	for i := range 6 {
		wg.Go(func() {
			hs[i] = unique.Make(strings.Repeat("ab", i%2+1))
			_ = hs[i].Value()
			for k := range 20 {
				unique.Make(fmt.Sprint(i, k))
			}
		})
	}
	wg.Wait()
	runtime.GC()
	runtime.GC()
	if hs[0] != hs[2] {
		t.Error("bad")
	}
	for i := range 4 {
		wg.Go(func() { unique.Make(fmt.Sprint(i, 3)); unique.Make([2]int{i, 1}) })
	}
	wg.Wait()
}

func TestSignal(t *testing.T) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	x := 0
	done := make(chan bool)
	go func() {
		<-c
		close(done)
	}()
	x = 1
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	<-done
	x++
	signal.Stop(c)
	ctx, stop := signal.NotifyContext(t.Context(), syscall.SIGUSR2)
	syscall.Kill(os.Getpid(), syscall.SIGUSR2)
	<-ctx.Done()
	stop()
	_ = x
}

func TestTraceStop(t *testing.T) {
	var buf bytes.Buffer
	if err := trace.Start(&buf); err != nil {
		t.Skip(err)
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			ctx, task := trace.NewTask(t.Context(), "task")
			trace.WithRegion(ctx, "r", func() { trace.Log(ctx, "a", "b") })
			task.End()
		})
	}
	wg.Wait()
	trace.Stop()
	if buf.Len() == 0 {
		t.Error("empty")
	}
}

func TestCPUProfile(t *testing.T) {
	var buf bytes.Buffer
	if err := pprof.StartCPUProfile(&buf); err != nil {
		t.Skip(err)
	}
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			pprof.Do(context.Background(), pprof.Labels("k", fmt.Sprint("v", i)), func(ctx context.Context) {
				end := time.Now().Add(60 * time.Millisecond)
				x := 0
				for time.Now().Before(end) {
					x++
				}
				pprof.Do(ctx, pprof.Labels("j", "w"), func(context.Context) {
					d := make(chan bool)
					go func() {
						end := time.Now().Add(30 * time.Millisecond)
						for time.Now().Before(end) {
							x++
						}
						close(d)
					}()
					<-d
				})
			})
		})
	}
	wg.Wait()
	pprof.StopCPUProfile()
	if buf.Len() == 0 {
		t.Error("empty")
	}
}

func TestProfiles(t *testing.T) {
	var wg sync.WaitGroup
	quit := make(chan bool)
	for i := range 3 {
		wg.Go(func() {
			pprof.Do(context.Background(), pprof.Labels("k", fmt.Sprint("v", i)), func(ctx context.Context) { <-quit })
		})
	}
	time.Sleep(5 * time.Millisecond)
	for _, name := range []string{"goroutine", "heap", "mutex", "block", "threadcreate", "allocs"} {
		pprof.Lookup(name).WriteTo(io.Discard, 1)
		pprof.Lookup(name).WriteTo(io.Discard, 0)
	}
	recs := make([]runtime.StackRecord, 100)
	runtime.GoroutineProfile(recs)
	mem := make([]runtime.MemProfileRecord, 1000)
	runtime.MemProfile(mem, true)
	debug.Stack()
	close(quit)
	wg.Wait()
	p := pprof.NewProfile("mine")
	for i := range 3 {
		wg.Go(func() { k := &box{n: i}; p.Add(k, 0); p.WriteTo(io.Discard, 1); p.Remove(k) })
	}
	wg.Wait()
}

func TestMetrics(t *testing.T) {
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			var s []metrics.Sample
			for _, d := range metrics.All() {
				s = append(s, metrics.Sample{Name: d.Name})
			}
			metrics.Read(s)
			for i := range s {
				if s[i].Value.Kind() == metrics.KindFloat64Histogram {
					_ = s[i].Value.Float64Histogram().Counts
				}
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			var g debug.GCStats
			debug.ReadGCStats(&g)
			debug.SetGCPercent(100)
		})
	}
	wg.Wait()
}

func TestCond(t *testing.T) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	q := []*box{}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			mu.Lock()
			for len(q) == 0 {
				c.Wait()
			}
			b := q[0]
			q = q[1:]
			mu.Unlock()
			b.n++
		})
	}
	for i := range 3 {
		mu.Lock()
		q = append(q, &box{n: i})
		mu.Unlock()
		if i == 2 {
			c.Broadcast()
		} else {
			c.Signal()
		}
	}
	wg.Wait()
}

func TestRWMutexMap(t *testing.T) {
	var mu sync.RWMutex
	m := map[string]*box{}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			k := fmt.Sprint(i % 3)
			mu.RLock()
			b := m[k]
			mu.RUnlock()
			if b == nil {
				mu.Lock()
				m[k] = &box{s: k}
				mu.Unlock()
			}
			mu.RLock()
			c := maps.Clone(m)
			_ = slices.Sorted(maps.Keys(m))
			mu.RUnlock()
			_ = len(c)
			if mu.TryRLock() {
				_ = m[k].s
				mu.RUnlock()
			}
			l := mu.RLocker()
			l.Lock()
			_ = m[k].s
			l.Unlock()
		})
	}
	wg.Wait()
}

func TestSynctest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		go func() {
			time.Sleep(time.Second)
			n++
		}()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		n++
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		m := 0
		context.AfterFunc(ctx, func() { m = 1 })
		time.Sleep(time.Hour)
		synctest.Wait()
		if n != 2 || m != 1 {
			t.Error(n, m)
		}
	})
}

func TestSelectMany(t *testing.T) {
	a, b, c := make(chan *box), make(chan *box, 2), make(chan struct{})
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			for k := range 4 {
				x := &box{n: k + i}
				x.n++
				select {
				case a <- x:
				case b <- x:
				}
			}
		})
	}
	go func() { wg.Wait(); close(c) }()
	for {
		select {
		case x := <-a:
			x.n++
		case x := <-b:
			x.n++
		case <-c:
			for len(b) > 0 {
				(<-b).n++
			}
			return
		}
	}
}
