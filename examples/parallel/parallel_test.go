package parallel

import (
	"flag"
	"os"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "4") // also on a machine with one processor
	os.Exit(m.Run())
}

func TestParallel(t *testing.T) {
	var (
		guard  Guard
		shared int
	)
	t.Run("first", func(t *testing.T) {
		t.Parallel()
		shared = 1 // race(shared) // race(seen)
		guard.Use(0)
		time.Sleep(60 * time.Millisecond) // so that the end of this subtest orders nothing
	})
	t.Run("second", func(t *testing.T) {
		t.Parallel()
		time.Sleep(30 * time.Millisecond)
		guard.Use(1)
		shared = 2                 // race(shared)
		t.Log("shared is", shared) // race(seen)
	})
}
