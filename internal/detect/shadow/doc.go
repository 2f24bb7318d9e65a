// Package shadow is shadow memory: it has the state that a detector keeps for bytes of memory.
//
// Memory is divided into aligned words of 8 bytes, as accesses in a trace are (package format). The
// bytes of a word that were accessed together share a cell:
//
//   - An access of bytes that are in no cell makes a cell of them.
//   - An access of some bytes of a cell splits it. Both parts have its state.
//   - An access of the bytes of several cells is an access of each.
//   - Memory that is allocated anew has no state (Reset).
//
// So two bools in one word are two locations, and a read of one byte conflicts with a write of the
// whole word.
//
// # Use inside a program
//
// Pages are found by a hash table. A detector inside a program can map the shadow of an address
// range directly: only the method page would change. The package uses nothing of the standard
// library; memory is allocated by the page.
package shadow
