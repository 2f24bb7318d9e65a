package cli

import (
	"bufio"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/presage-race/presage/internal/host/disk"
)

// memory is the limit of -memory on the live heap of the analysis (CM3). Go's garbage collector
// runs more often as the heap comes near the limit (runtime/debug.SetMemoryLimit), unless
// GOMEMLIMIT is set.
type memory struct {
	limit int64 // bytes; 0: none

	mu   sync.Mutex
	last time.Time // of the last look
	live int64     // then
}

// shareFlag is a flag with a share as its value.
type shareFlag struct {
	to    *disk.Share
	given string
}

// Set takes the value.
func (f *shareFlag) Set(value string) (err error) {
	f.given = value
	*f.to, err = disk.ParseShare(value)
	return err
}

// String is the value as it was given.
func (f *shareFlag) String() string { return f.given }

// Type is the name of such values.
func (f *shareFlag) Type() string { return "share" }

// newMemory makes the limit: what -memory says, by default half of what is free; none where that is
// not known.
func newMemory(asked disk.Share) *memory {
	m := &memory{limit: asked.OfBytes(freeMemory())}
	if m.limit > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(m.limit)
	}
	return m
}

// freeMemory is what the system could give to programs, 0 if it does not say.
func freeMemory() int64 {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "MemAvailable:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err == nil {
				return kb << 10
			}
		}
	}
	return 0
}

// lookEvery is the time between two looks at the heap.
const lookEvery = 100 * time.Millisecond

// heap is the size of the live heap, as the last garbage collection has found it.
func (m *memory) heap() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now := time.Now(); now.Sub(m.last) >= lookEvery {
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(s)
		m.last, m.live = now, int64(s[0].Value.Uint64())
	}
	return m.live
}

// full reports whether prediction has to end.
func (m *memory) full() bool { return m != nil && m.limit > 0 && m.heap() > m.limit }

// room reports whether a second search may begin beside others.
func (m *memory) room() bool { return m == nil || m.limit == 0 || m.heap() < m.limit/2 }
