package driver

import (
	"context"
	"errors"
	"net"
	"testing"

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
