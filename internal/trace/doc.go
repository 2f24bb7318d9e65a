// Package trace defines the events of a recorded run and the tables that explain
// them, and reads and writes the trace file.
//
// A trace is one linearisation of a run: a sequence of events in which the events
// of a goroutine stand in the order it executed them, every synchronisation object
// sees its operations in the order they took effect, and every read follows the
// write whose value it returned.
//
// # The file
//
// A trace file is a header, blocks, and a trailer. Numbers are little-endian.
//
//	header (16 bytes)
//	  0   8  magic "presage\x00"
//	  8   2  version, now 5 (before it, observations of states are missing: those traces are refused)
//	 10   6  zero
//
//	block (32 bytes and the payload)
//	  0   1  type: 'M' meta, 'E' events, 'X' index
//	  1   3  zero
//	  4   4  size of the payload as stored
//	  8   4  size of the payload when decompressed
//	 12   4  E: number of events; X: number of entries; M: zero
//	 16   8  number of events in the blocks before this one
//	 24   4  low half of the XXH64 of the stored payload
//	 28   4  low half of the XXH64 of bytes 0 to 27
//	 32   …  payload, one zstd frame
//
//	trailer (32 bytes)
//	  0   8  offset of the index block
//	  8   8  offset of the last meta block
//	 16   8  number of events
//	 24   8  magic "PRESAGE\x00"
//
// The writer puts M first, with what is known of Meta at the start; then E blocks;
// then M again, with the whole Meta; X; the trailer. A program that is killed, or
// a disk that is full, leaves a prefix: its whole blocks are read, and the error
// that stands for the rest (Error, ErrCut) gives the offset and the event number
// at which it begins. The index is only needed to find the last M and to seek; a
// reader without it steps from block header to block header.
//
// The payload of M is Meta as JSON. The payload of X is, for each E block, two
// uvarints: its offset less the offset of the entry before, its number of events.
//
// # A block of events
//
// Events repeat: an instruction gives the same kind, flags, size and site each
// time, and operands near the ones it gave before. So a block lists the *shapes*
// of its events once, and then holds five columns of varints, so that like stands
// beside like and zstd finds what is left to find.
//
//	uvarint           number of shapes, then per shape
//	  byte              kind
//	  byte              flags
//	  byte              operands that are not always zero: 1 Obj, 2 Val, 4 Aux
//	  uvarint           size
//	  varint            site, less the site of the shape before
//	4 × uvarint       bytes in the columns runs, shapes, Obj, Val (Aux has the rest)
//	runs              per run of events of one goroutine: uvarint length, varint GoID less the GoID of the run before
//	shapes            per event: uvarint, index of its shape
//	Obj, Val, Aux     per event whose shape has the operand: varint, the operand less the last one of this shape in this block
//
// uvarint and varint are those of encoding/binary. A block does not depend on
// other blocks. It holds at most MaxBlockEvents events.
//
// # Example
//
// Goroutine 1 writes 5, then 6, to the 8 bytes at 0x40, at site 3:
//
//	01                   one shape
//	02 00 03 08 06       write, no flags, Obj and Val, 8 bytes, site +3
//	02 02 03 02          runs 2 bytes, shapes 2, Obj 3, Val 2
//	02 02                run of 2 events, goroutine +1
//	00 00                shape 0, shape 0
//	80 01 00             Obj +0x40, +0
//	0a 02                Val +5, +1
//
// TestExample holds these bytes.
//
// # Names
//
//	e, f    events
//	g       goroutine
//	x       location
package trace
