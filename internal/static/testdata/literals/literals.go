// Package literals has function literals that are stored, or become a named function type, and that
// only unknown calls reach (LI1): these may be made by several goroutines.
package literals

import "sync"

type Consume func(string) error

type Logs interface{ Write(string) error }

func (c Consume) Write(s string) error { return c(s) }

func parse(s string) (int, error) { return len(s), nil }

// New writes its own variable in the literal, where one of the literal was meant.
func New() Consume {
	n, err := parse("")
	_ = n
	return Consume(func(s string) error {
		n, err = parse(s) // possible "shared"
		return err
	})
}

// NewOwn has a variable for each call.
func NewOwn() Consume {
	n, err := parse("")
	_, _ = n, err
	return Consume(func(s string) error {
		n, err := parse(s)
		_ = n
		return err
	})
}

// NewLocked writes its variable under a lock.
func NewLocked() Consume {
	var mu sync.Mutex
	n := 0
	return Consume(func(s string) error {
		mu.Lock()
		n++
		mu.Unlock()
		return nil
	})
}

// Walk passes a literal to a call that is not known, and is done when that returns.
func Walk(each func(func(string))) int {
	n := 0
	each(func(string) { n++ })
	return n
}
