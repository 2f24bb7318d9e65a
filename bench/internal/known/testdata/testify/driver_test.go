package driver

import (
	"testing"

	"github.com/stretchr/testify/suite"
)

func calls(t *testing.T) (first, second func()) {
	s := new(suite.Suite)
	s.SetT(t)
	return func() { s.SetT(t) }, func() { _ = s.T() }
}
