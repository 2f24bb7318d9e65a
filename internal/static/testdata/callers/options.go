package callers

import "sync"

type options struct {
	size int
	name string
}

// Option fills in what New is given: the options are not shared yet (LI10, LI5).
type Option func(*options)

func Size(n int) Option { return func(o *options) { o.size = n } }

type pool struct {
	mu   sync.Mutex
	opts *options
	used int
}

func NewPool(list ...Option) *pool {
	var o options
	for _, f := range list {
		f(&o)
	}
	p := &pool{opts: &options{size: o.size}}
	go p.run()
	return p
}

func (p *pool) run() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.used = p.opts.size // want "used"
}

func (p *pool) Used() int { return p.used } // want "used"

// Presets are options of a program.
func Presets() *pool { return NewPool(Size(3)) }
