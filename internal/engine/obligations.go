package engine

import "presage/internal/window"

type obligations struct {
	cut  []int32
	arcs [][2]int32
}

func newObligations(st *static, ob *objects) *obligations { return &obligations{} }

func (u *obligations) run(p window.Pair) bool { return true }
func (u *obligations) isIn(x int32) bool      { return false }
