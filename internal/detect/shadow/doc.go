// Package shadow is shadow memory: for the bytes that were accessed, what a detector remembers of
// them.
//
// Memory is divided into aligned words of 8 bytes, as accesses in a trace are (package format). The
// bytes of a word that have been accessed together share a cell.
//
//	(M1) An access of bytes that no cell has makes a cell of them.
//	(M2) An access of part of a cell's bytes splits the cell; both parts have its history.
//	(M3) An access of several cells is an access of each.
//	(M4) Memory that is allocated anew has no history (Reset).
//
// So two bools that lie in one word are two locations, and a byte read in a word that was written
// whole meets the write.
//
// # Inside a program
//
// Pages are found by a hash table. A detector inside the program can map the shadow of an address
// range directly: page is the only method that would change. Nothing else here uses more than
// slices; memory is allocated by the page.
package shadow
