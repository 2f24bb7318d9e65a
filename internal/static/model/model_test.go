package model_test

import (
	"testing"

	"github.com/presage-race/presage/internal/static/model"
)

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		key, pkg string
		want     model.Row
	}{
		{"(*sync.RWMutex).TryRLock", "sync", model.Row{Op: model.TryRLock}},
		{"(*sync.WaitGroup).Go", "sync", model.Row{Op: model.Go, Arg: 1}},
		{"(*net/http.ServeMux).HandleFunc", "net/http", model.Row{Op: model.Starts, Arg: 2}},
		{"fmt.Println", "fmt", model.Row{Op: model.Silent}},
		// it writes what it is given
		{"(*strings.Builder).WriteString", "strings", model.Row{}},
		{"sync/atomic.LoadInt32", "sync/atomic", model.Row{Op: model.Load}},
		{"(*sync/atomic.Bool).Store", "sync/atomic", model.Row{Op: model.Store}},
		{"(*sync/atomic.Int64).CompareAndSwap", "sync/atomic", model.Row{Op: model.Swap}},
		{"(*sync/atomic.Bool).Swap", "sync/atomic", model.Row{Op: model.Exchange}},
		{"(*sync/atomic.Int64).Add", "sync/atomic", model.Row{Op: model.Update}},
		// a name alone means nothing
		{"example.com/p.Lock", "example.com/p", model.Row{}},
	} {
		if got := model.Lookup(c.key, c.pkg); got != c.want {
			t.Errorf("Lookup(%q, %q) = %v, want %v", c.key, c.pkg, got, c.want)
		}
	}
}

func TestLocker(t *testing.T) {
	for method, want := range map[string]model.Op{"Lock": model.Lock, "RUnlock": model.RUnlock, "TryLock": model.TryLock, "Close": model.None} {
		if got := model.Locker(method); got != want {
			t.Errorf("Locker(%q) = %v, want %v", method, got, want)
		}
	}
}
