// Package store keeps the summaries of packages on disk, addressed by content.
//
// # What it computes
//
// [Encode] writes a value of plain Go types (numbers, strings, slices, maps, structs, pointers)
// with the access paths in it, [Decode] reads it back into a path table of its own. A [Dir] holds
// encoded packages under keys that say all that a summary depends on.
//
//	file     magic "presage summary 1\n"
//	         length of the meaning, uvarint
//	meaning  number of items, uvarint; items; body
//	layout   what changes when text moves: file names, lines, columns
//	sum      SHA-256 of all before, 32 bytes
//	item     length, uvarint; one byte for its type; content
//	body     fields in order; numbers as varints, items by number
//
// Strings, paths, calls and maps are items: equal ones are written once, and are one when they are
// read. Example: the lock set {&s.mu: lock} of a hundred accesses is one item of four bytes, and
// each access has its number.
//
// # Encoding
//
// Equal values have equal encodings: maps are written in the order of their keys (path.Compare),
// items in the order of first use. A field with the tag `store:"layout"` is written to the layout.
// The digest of a package is that of its meaning: it stays when lines move.
//
// # Keys
//
// The key of a package has the executable, the options, the version of the language, the names and
// contents of its files, and the digests of all its imports, direct or not. After an edit only
// those packages are summarised again whose imports' meaning has changed. What is used is always
// what was decoded, also of a package that was just summarised: a second run cannot differ from the
// first.
//
// # Files
//
// An incomplete file is no entry: it is counted and made again. Entries appear by rename. Entries
// that were not used for thirty days are removed.
//
// # Complexity
//
// Linear in the size of the value, besides the sorting of maps.
package store
