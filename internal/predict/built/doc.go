// Package built holds a window together with the part of the trace that it was made of. Package
// window makes it; package predict searches it, and package offpath checks witnesses that leave
// the recorded path against it. It is plain data and functions over it: nothing in it reaches
// back into the builder.
//
//	Window ─┬─ model.Window      events, order, initial state: what package engine searches
//	        ├─ Records           the events of the trace, with what the walk found out
//	        ├─ Sources, Contents what a read of the trace is in the window
//	        ├─ Places            where the window's objects are in memory
//	        ├─ Kept, Loose       why an edge is there
//	        └─ Alternatives      paths off the recorded one; Variant puts one in its place
//
// # How long it is valid
//
// The builder re-uses the buffer that Records point into. Records and Excluded, and the results of
// methods that read them (Recorded, Term, SourcesOf, ExcludedTrace), are valid until the function
// to which the builder emits the window returns. All else belongs to the window and stays valid.
// The events of a variant are valid until the next call of Variant.
package built
