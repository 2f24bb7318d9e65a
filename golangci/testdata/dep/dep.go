// Package dep is of another module, whose files are not linted.
package dep

// Server has fields that its users can reach.
type Server struct {
	Addr  string
	calls int
}

// Listen writes.
func (s *Server) Listen() {
	s.Addr = "here"
}

// Call counts.
func (s *Server) Call() {
	s.calls++
}
