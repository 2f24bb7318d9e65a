package engine

import "presage/internal/window"

type closure struct{}

func newClosure(st *static, ob *objects) *closure { return &closure{} }

func (c *closure) run(p window.Pair) ([]int32, bool) { return nil, false }
