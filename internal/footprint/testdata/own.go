package cases

import (
	"encoding/json"
	"flag"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

type item struct {
	n    int
	next *item
}

type shop struct {
	mu    sync.Mutex
	rw    sync.RWMutex
	wg    sync.WaitGroup
	once  sync.Once
	cond  *sync.Cond
	n     int
	row   [4]int
	flag  atomic.Bool
	first atomic.Pointer[item]
	any   atomic.Value
	list  []int
	items map[string]int
	all   map[string]*item
	head  *item
	ch    chan int
	chp   chan *item
	pool  sync.Pool
	f     func(int) int
	fp    func(*item)
	fr    func() *item
	at    time.Time
}

// w: fixed
func counts(s *shop, i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	s.row[i&3] = s.n
}

// w: fixed
func reads(s *shop) int { s.rw.RLock(); defer s.rw.RUnlock(); return s.n }

// w: fixed
func flags(s *shop) bool { return s.flag.CompareAndSwap(false, true) }

// w: fixed
func numbers(p *int64) int64 { return atomic.AddInt64(p, 1) }

// w: fixed
func groups(s *shop) { s.wg.Add(1); s.wg.Done(); s.wg.Wait() }

// w: fixed
func helped(s *shop) { s.mu.Lock(); plus(s); s.mu.Unlock() }

func plus(s *shop) { s.n++ }

// w: fixed
func sleeps(s *shop) { time.Sleep(1); s.n++ }

// w: fixed
func stamps(s *shop, t time.Time) { s.mu.Lock(); s.at = t; s.mu.Unlock() }

// w: fixed
func says(s *shop, x string) bool { s.mu.Lock(); defer s.mu.Unlock(); return strings.Contains(x, "a") }

// w: own
func slices(s *shop) { s.mu.Lock(); s.list[0]++; s.mu.Unlock() }

// w: own
func appends(s *shop) { s.mu.Lock(); s.list = append(s.list, 1); s.mu.Unlock() }

// w: own
func maps(s *shop) { s.mu.Lock(); s.items["a"]++; s.mu.Unlock() }

// w: own
func links(s *shop, x *item) { s.mu.Lock(); s.head = x; s.mu.Unlock() }

// w: own
func makes(s *shop) { s.mu.Lock(); s.head = &item{}; s.mu.Unlock() }

// w: own
func follows(s *shop) int { s.mu.Lock(); defer s.mu.Unlock(); return s.head.n }

// w: own
func finds(s *shop) int { s.mu.Lock(); defer s.mu.Unlock(); return s.all["a"].n }

// w: own
func sends(s *shop) { s.ch <- 1 }

// w: own
func receives(s *shop) int { return <-s.ch }

// w: own
func callsBack(s *shop) int { return s.f(1) }

// w: own
func sorted(s *shop) { s.mu.Lock(); sort.Ints(s.list); s.mu.Unlock() }

// w: other: pointers go through a channel
func sendsPointer(s *shop, x *item) { s.chp <- x }

// w: other: pointers go through a channel
func receivesPointer(s *shop) int { return (<-s.chp).n }

// w: other: pointers go through a channel
func selects(s *shop) int {
	select {
	case x := <-s.chp:
		return x.n
	default:
		return 0
	}
}

// w: other: (*sync/atomic.Pointer[T]).Load is of more than numbers
func loadsPointer(s *shop) int { return s.first.Load().n }

// w: other: (*sync/atomic.Value).Store is of more than numbers
func storesAny(s *shop) { s.any.Store(1) }

// w: other: (*sync.Cond).Wait
func waits(s *shop) { s.cond.Wait() }

// w: other: (*sync.WaitGroup).Go
func goes(s *shop) { s.wg.Go(func() { s.n++ }) }

// w: other: t1(x) is given pointers, or returns some
func gives(s *shop, x *item) { s.fp(x) }

// w: other: t1() is given pointers, or returns some
func gets(s *shop) { s.fr().n++ }

// w: other: command-line-arguments.recorded is not known
func hands(s *shop) { recorded(&s.n) }

func recorded(p *int) { *p = 1 }

// w: other: encoding/json.Unmarshal may call, or look into, what it is given
func fills(s *item) { json.Unmarshal(nil, s) }

// w: other: flag.Parse may be called
func names(s *shop) { s.once.Do(flag.Parse) }

// w: fixed
func onceOnly(s *shop) { s.once.Do(func() { recorded2() }) }

func recorded2() {}

// w: other: the length of a channel is not recorded
func length(s *shop) int { return len(s.ch) }

// w: fixed
func starts(s *shop) {
	var mu sync.Mutex
	var seen int
	go func() { mu.Lock(); seen++; mu.Unlock() }()
	mu.Lock()
	mu.Unlock()
}

// w: other: a goroutine may have new int (seen)
func startsAndLooks(s *shop) int {
	var mu sync.Mutex
	var seen int
	go func() { mu.Lock(); seen++; mu.Unlock() }()
	mu.Lock()
	defer mu.Unlock()
	return seen
}

// w: other: what a goroutine has may be returned
func startsAndReturns() *item {
	x := &item{}
	go func() { x.n++ }()
	return x
}

// w: other: a function that is called has a go statement
func startsBelow(s *shop) { starts(s) }
