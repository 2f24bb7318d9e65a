// Package figure10 is the false positive of threads that are not parallel (Figure 10): the starter waits until the goroutine has
// set the state and said so, and only then may another start. Without the wait it is a race.
package figure10

const master = 1

type server struct {
	state int
	loose int
}

func (s *server) thread(ready chan bool) {
	s.state = master
	ready <- true
}

func (s *server) eager(ready chan bool) {
	ready <- true
	s.loose = master // want "loose"
}

func Start() {
	s := &server{}
	for s.state != master {
		ready := make(chan bool)
		go s.thread(ready)
		<-ready
	}
	ready := make(chan bool)
	go s.eager(ready)
	<-ready
	s.loose = 2 // want "loose"
}
