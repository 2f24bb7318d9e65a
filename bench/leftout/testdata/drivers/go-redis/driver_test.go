// Package presagedriver uses go-redis as a program would, against a server in its own process.
package presagedriver

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

func client(t *testing.T, o redis.Options) *redis.Client {
	o.Addr = miniredis.RunT(t).Addr()
	c := redis.NewClient(&o)
	t.Cleanup(func() { c.Close() })
	return c
}

// Goroutines that share a client with two connections.
func TestShared(t *testing.T) {
	c, ctx := client(t, redis.Options{PoolSize: 2}), context.Background()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for k := range 3 {
				key := fmt.Sprint("key", (i+k)%3)
				if err := c.Set(ctx, key, i, 0).Err(); err != nil {
					t.Error(err)
				}
				if err := c.Get(ctx, key).Err(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// Pipelines of several goroutines.
func TestPipelines(t *testing.T) {
	c, ctx := client(t, redis.Options{PoolSize: 3, MinIdleConns: 1}), context.Background()
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			p := c.TxPipeline()
			p.Incr(ctx, "n")
			p.LPush(ctx, "list", i)
			if _, err := p.Exec(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n, err := c.Get(ctx, "n").Int(); n != 3 || err != nil {
		t.Error(n, err)
	}
}

// One goroutine receives what others publish, and its subscription changes meanwhile.
func TestPubSub(t *testing.T) {
	c, ctx := client(t, redis.Options{}), context.Background()
	sub := c.Subscribe(ctx, "a")
	defer sub.Close()
	if _, err := sub.Receive(ctx); err != nil {
		t.Fatal(err)
	}
	got := sub.Channel()
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			if err := c.Publish(ctx, "a", i).Err(); err != nil {
				t.Error(err)
			}
			if err := sub.Subscribe(ctx, fmt.Sprint("b", i)); err != nil {
				t.Error(err)
			}
		})
	}
	<-got
	<-got
	wg.Wait()
}

// A script, which the client loads once.
func TestScript(t *testing.T) {
	c, ctx := client(t, redis.Options{}), context.Background()
	s := redis.NewScript("return 1")
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if err := s.Run(ctx, c, nil).Err(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
