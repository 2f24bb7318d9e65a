package racy

import "dep"

// Other races in another module: on one side, and on both.
func Other() string {
	s := &dep.Server{}
	go func() {
		s.Listen()
		s.Call() // want `write of s.calls at /.*dep.go:17:4 may race with write at /.*dep.go:17:4: write in`
	}()
	s.Call()
	return s.Addr // want `read of \(new Server\).Addr may race with write at /.*dep.go:12:4: read in racy.Other holding no lock, write in dep.\(\*Server\).Listen holding no lock`
}
