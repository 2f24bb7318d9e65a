package driver

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

type hook struct{}

func (hook) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (hook) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }
func (hook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func calls(t *testing.T) (first, second func()) {
	c := redis.NewClient(&redis.Options{
		Addr:       "localhost:0",
		MaxRetries: -1,
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("no server")
		},
	})
	return func() { c.AddHook(hook{}) }, func() { c.Get(context.Background(), "key") }
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
