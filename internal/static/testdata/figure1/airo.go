// Package figure1 is the example of RELAY's overview (ESEC/FSE 2007, Figure 1): the lock is taken in one function, the
// accesses happen in another, which gives it back on both of its ways.
package figure1

import "sync"

type stats struct{ rxP int }

type power struct{ ev int }

type airo struct {
	lock  sync.Mutex
	pwr   power
	stats stats
}

type device struct{ priv *airo }

var vals [4]int

func readStats(ai *airo) {
	if ai.pwr.ev > 0 {
		ai.pwr.ev--
		ai.lock.Unlock()
		return
	}
	ai.lock.Unlock()
	ai.stats.rxP = vals[0] // want "rxP"
}

func thread(d *device) {
	dev := d
	ai := dev.priv
	ai.lock.Lock()
	readStats(ai)
}

func Start() {
	d := &device{priv: &airo{}}
	go thread(d)
	go thread(d)
}
