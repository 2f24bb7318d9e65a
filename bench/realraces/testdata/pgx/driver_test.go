package driver

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/tracelog"
)

func calls(t *testing.T) (first, second func()) {
	nop := tracelog.LoggerFunc(func(context.Context, tracelog.LogLevel, string, map[string]any) {})
	tl := &tracelog.TraceLog{Logger: nop, LogLevel: tracelog.LogLevelTrace}
	start := func() {
		ctx := tl.TraceConnectStart(context.Background(), pgx.TraceConnectStartData{ConnConfig: &pgx.ConnConfig{}})
		tl.TraceConnectEnd(ctx, pgx.TraceConnectEndData{Err: context.Canceled})
	}
	return start, start
}

// TestTogether runs the two calls side by side.
func TestTogether(t *testing.T) {
	first, second := calls(t)
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); first() }()
	go func() { defer wg.Done(); second() }()
	wg.Wait()
}

// TestMasked lets the second call begin late, behind a lock that the first
// goroutine has released after its call: the lock orders the calls in this run,
// and nothing orders them in general.
func TestMasked(t *testing.T) {
	first, second := calls(t)
	var mu sync.Mutex
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		first()
		mu.Lock()
		mu.Unlock()
	}()
	go func() {
		defer wg.Done()
		time.Sleep(100 * time.Millisecond)
		mu.Lock()
		mu.Unlock()
		second()
	}()
	wg.Wait()
}
