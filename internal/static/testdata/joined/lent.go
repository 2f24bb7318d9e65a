package joined

import "sync"

// pool has a lock that is held by who waits for its goroutines (LI7; SY6).
type pool struct {
	mu                         sync.Mutex
	master, soon, twins, after int
	early, other, beside       int
}

func (p *pool) setMaster(n int) { p.master = n }

// Master lets goroutines work under the lock.
func (p *pool) Master(all []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var wg sync.WaitGroup
	var once sync.Once
	for _, n := range all {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if m, err := source(); err == nil {
				once.Do(func() { p.setMaster(m + n) })
			}
		}()
	}
	wg.Wait()
}

func (p *pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.master = 0
}

// Soon gives up the lock before it waits.
func (p *pool) Soon() {
	var wg sync.WaitGroup
	p.mu.Lock()
	wg.Go(func() {
		p.soon = 1 // want "soon"
	})
	p.mu.Unlock()
	wg.Wait()
}

func (p *pool) CloseSoon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.soon = 0 // want "soon"
}

// Some gives up the lock on one way without a wait.
func (p *pool) Some(few bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() {
		p.early = 1 // want "some"
	})
	if few {
		return
	}
	wg.Wait()
}

func (p *pool) CloseSome() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.early = 0 // want "some"
}

// Twins do not exclude each other.
func (p *pool) Twins() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			p.twins++ // want "twins"
		})
	}
	wg.Wait()
}

// After is done before it writes.
func (p *pool) After() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		wg.Done()
		p.after = 1 // want "lentafter"
	}()
	wg.Wait()
}

func (p *pool) CloseAfter() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.after = 0 // want "lentafter"
}

// Other is read under no lock.
func (p *pool) Other() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() {
		p.other = 1 // want "other"
	})
	wg.Wait()
}

func (p *pool) CloseOther() int { return p.other } // want "other"

// Beside works beside its goroutine.
func (p *pool) Beside() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() {
		p.beside = 1 // want "beside"
	})
	p.beside = 2 // want "beside"
	wg.Wait()
}
