package engine

// derive adds edges that the objects force, and computes the clocks again.
func (st *static) derive(ob *objects) {}
