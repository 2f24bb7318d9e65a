package format

// # Raw records
//
// What the recorder inside the program under test writes, before merge makes a
// trace of it. All numbers are 8-byte little-endian words.
//
// ## Files
//
// A process writes segments into the directory PRESAGE_DIR/<pid>/, named
// 000000.seg, 000001.seg, … A segment is a sequence of blocks of 1 KiB (128 words).
// Block 0 is the segment's header; a file shorter than its header, or whose first
// word is not SegMagic, was created and no more: skip it.
//
//	word 0  SegMagic
//	word 1  version (RawVersion)
//	word 2  process id
//	word 3  number of this segment
//	word 4  length of the segment in words, block 0 included
//	word 5  0, or why recording stopped (StopReason); only in segment 0
//	word 6  unix time in nanoseconds at the start of the process
//	word 7  stamp at the same moment
//	word 8  stamp at the moment when recording stopped (word 5), 0 if not known; only in segment 0
//	word 9  seed of the process's random numbers (internal/record/recorder/_both); words 9 to 11 only in segment 0
//	word 10 hash of the process's arguments without its name (FNV-1a of each with a zero byte
//	        behind it)
//	word 11 process id of the parent
//	word 12 bytes that the run may take on the disk, 0 if there is no limit; words 12 to 14 only
//	        in segment 0
//	word 13 0, or 1: accesses of outside code are not recorded, because the system refused address
//	        space; or 2: not from some moment on, because all contexts were used up
//	word 14 one more than the accesses of outside code that could not be recorded, when the
//	        process ended; 0: it was ended before it marked what emitted code had accessed
//
// ## The limit
//
// A file named limit in PRESAGE_DIR, if there is one, is a page that all processes of the run map,
// before they make anything:
//
//	word 0    bytes that the run may take on the disk
//	word 1    bytes that it has taken; a process adds those of a file before it makes it, and stops recording where that would be too much
//	word 2+r  processes that ran without being recorded at all, for the reason r (StopReason)
//
// ## Chunks
//
// From block 1 on stand chunks, each a whole number of blocks and aligned to one.
// A block that should start a chunk and starts with a zero word was handed out but
// never used (or never handed out): go on at the next block.
//
//	word 0  RawChunk<<56 | RawVersion<<48 | length of the chunk in words, this header included
//	word 1  goroutine (the runtime's goid; 0 for the runtime's own threads: see below)
//	word 2  stream<<32 | sequence number of the chunk in its stream, from 0
//
// A stream belongs to one goroutine and holds what it did, in order; streams are numbered from 1 in
// the order of their creation. All chunks with the same stream, sorted by sequence number, are that
// stream. Goroutine 0 has one stream per operating system thread. After the header come records,
// until a zero word or the end of the chunk. Where a record could start, a word with kind RawChunk
// may stand: a chunk within the chunk, the rest of which its goroutine did not need: its length
// goes up to the end of the chunk around it.
//
//	| RawChunk… 128 | 7 | 1<<32|0 | Enter… | … | End… | stamp | RawChunk… 90 | 9 | 2<<32|0 | Start… | … | 0 | 0 |
//	'------------------ goroutine 7 -------------------------'------ goroutine 9   -------------------------------'
//
// ## Log
//
// A box is a chunk of RawBoxWords words that stands where a chunk of a segment does, at a multiple
// of 4 KiB. When it is full it is written, with the chunks within it, to a file of the log:
// 000000.log, 000001.log, … in the same directory, each a sequence of places of that size. Once it
// is there the box is void, word 2 is 0 (the words after the header mean nothing), until the next
// chunk starts in it: then words from the first record on are zeros as far as they matter, and word
// 2 is written last.
//
// A place in the log that starts with a zero word was not written. A place that starts with the
// same words 1 and 2 as a box that is not void may be written in part, and the box has all of it:
// leave the place out.
//
// ## Records
//
// The first word of a record is its header; it is written after the others.
//
//	63      56 55      48 47                32 31                                0
//	|  kind   |  flags   |        size        |               site               |
//
// The words after it, by kind (RawLen gives their number):
//
//	Read Write                      address, value           (size ≤ 8 bytes)
//	Read Write with size > 8        address, size/8 words; size is a multiple of 8. It stands for one record per aligned word, with
//	                                FlagMore on all but the last, which has the record's own. So
//	                                does one of ≤ 8 bytes across two words
//	Read Write with FlagNoValue     address, number of bytes (any; size in the header is 0)
//	Read with FlagText              as these, of what a string says
//	AtomicRead AtomicWrite          address, value, stamp
//	AtomicRMW                       address, old, new, stamp
//	Lock Unlock TryFail             lock, stamp
//	WGAdd                           object, delta, counter after, stamp
//	WGWait Once… Cond…              object, stamp
//	ChanSend ChanRecv ChanClose
//	ChanLen SelectCase              channel, value, capacity, stamp   (FlagNoValue: the value is 0: does not fit or was not wanted)
//	SelectDefault                   stamp
//	Go                              goid of the new goroutine, stamp
//	Start                           goid of the parent, stamp, then size bytes: name of the function, zero-padded
//	End                             stamp
//	Acquire Release ReleaseMerge    object, stamp
//	Observe                         state, stamp (the states count as one object, state.go)
//	OpaqueBegin OpaqueEnd Block     (nothing; an Enter that follows says that an OpaqueBegin has FlagDirect)
//	Alloc                           address, bytes, stamp (FlagZero: they are zero)
//	Alloc with FlagStack            address, bytes, stamp: from here on, this is the goroutine's own stack: accesses
//	                                of this goroutine inside it cannot be shared, whatever was
//	                                there before is gone
//	Enter                           site of the call | depth<<32
//	Exit                            depth
//	MethodBegin MethodEnd           method | depth<<32, stamp (MethodBegin: the Reach behind it are its D; a pair whose frame is gone has ended)
//	Reach                           address of size bytes
//	Reach with size 0               address, bytes
//	ReachSet                        (nothing; the site is the number of a RawSet: it is in the D; with FlagMore, of any number of RawSets with FlagMore, which have numbers of their own: what D grows by)
//	RawSet                          size words: spans of memory, address<<16 | bytes, or address<<16 and a word of bytes; the site is its number; FlagAll: everything.
//	Value                           max(1, ⌈size/8⌉) words: the bytes of the value, zero-padded
//	Value with FlagNoValue          the first MaxValue bytes of a value that has more
//	RawStamp RawGC                  stamp
//	RawShort                        what its header says, of: address, words
//	RawVar                          address, bytes: of a package-level variable, zero now; the site is its number in the plan (Plan.Globals)
//	RawVar with FlagNoValue         the same, of one that is too large to record its bytes
//	RawVar with FlagFirst           the same; from now on the first read and write of each byte by outside code is recorded
//	RawVar with FlagMore            address, capacity: of a channel that a variable points to, empty and open
//	RawVar with size > 0            address, bytes (size, at most MaxVar), ⌈size/8⌉ words: its bytes now, zero-padded
//	RawMade                         address, line, then size bytes: name of the function, a zero
//	                                byte, name of its file: of a function value that captures
//	                                nothing and that a variable holds, before main.main
//	RawMade with FlagMore           address, its Once, the function value that it runs: of what sync.OnceFunc or the like has made
//	RawMade with FlagWrite          address, its lock, 0: of a sync.Cond that a variable points to; FlagRead: it locks for reading
//	RawConst                        address, ⌈size/8⌉ words: bytes (at most MaxVar) of read-only data, zero-padded; those at the next address follow at once
//	RawConst with address 0         a word: how many bytes behind the first MaxConsts were left out
//	RawContext                      (nothing; the site is the number of the context)
//	RawLate                         address of a word, entry of its cell, stamp at which it was written; the site is Read or Write
//	RawTest                         size bytes: name of the test that the goroutine runs from here on, zero-padded; with FlagFirst,
//	                                path of the package whose tests the process runs
//	RawPC                           line, then size bytes: name of the function, a zero byte, name of the file; zero-padded. The site is
//	                                the program counter, from the beginning of the text, without
//	                                its last two bits (OutsidePC aside)
//	Read Write with FlagOpaque      as with FlagNoValue: of outside code. The site is OutsidePC and a program counter as that of RawPC
//	Read Write with FlagOpaque, FlagFull and no FlagNoValue
//	                                as a Read or Write with its value: of outside code, in an
//	                                audit (EnvOutside of package recorder)
//
// A stamp is the last word of a record (of Start: the last before the name). Stamps grow within a
// stream, strictly; stamps of one object grow in the order in which its operations took effect,
// strictly. Records of one object never have the same stamp, records of different objects may.
//
// Records of Read and Write larger than a word come as several records with FlagMore on all but the
// last.
//
// ## Short accesses
//
// In loops a Read or Write of 1 to 8, 16 or 24 bytes is a RawShort. What it leaves out is what the
// RawShort before it with the same site, in the same stream, had: the address but for a small step,
// the first word, the others.
//
//	63      56   55   54   53   52  51  48 47                32 31                                0
//	|  0xF2  | write|addr|first|rest| size |  step, or 0       |               site               |
//
// A bit of addr, first, rest says that it is there; without the address it is the last one plus
// step, a signed number. Size is 1 to 8, 9 for 16 bytes, 10 for 24. The loop for i := range a { s
// += a[i] } over an array of int writes
//
//	| 0xF2 addr first 8 … 57 | address | value | 0xF2 first 8 step 8 … 57 | value | 0xF2 first 8 step 8 … 57 | value | …
const (
	RawVersion = 6

	// SegMagic is the first word of a segment: "PRESAGE1".
	SegMagic = 0x3145474153455250

	SegHeaderWords   = 15  // used of block 0
	RawBlockWords    = 128 // a block: 1 KiB
	RawBoxWords      = 32 << 10
	ChunkHeaderWords = 3

	// LimitFile is the name of the file with the limit of a run, of LimitWords words.
	LimitFile       = "limit"
	LimitWords      = 512
	LimitMost       = 0
	LimitTaken      = 1
	LimitUnrecorded = 2

	// RawStamp is a stamp alone; RawChunk starts a chunk; RawVar is what the main goroutine finds
	// in a variable before main.main; RawConst is read-only data of the program, its string
	// constants among it. None of them is a kind of a trace.
	RawStamp Kind = 0xF1
	RawShort Kind = 0xF2
	RawVar   Kind = 0xF3
	RawConst Kind = 0xF4
	RawSet   Kind = 0xF5 // what calls that leave traced code can reach by one object

	// Accesses of outside code (recorder, presage_cell.go).
	// what the goroutine does from here on, up to its next operation of synchronisation, is the
	// context that the site names
	RawContext Kind = 0xF6
	// an access in the context of an entry that had no record until another goroutine came
	RawLate Kind = 0xF7
	RawPC   Kind = 0xF8 // the place of a program counter of outside code
	RawGC   Kind = 0xF9 // a garbage collection has marked what lives, and freed nothing yet
	RawMade Kind = 0xFA // what a variable holds before main.main: a function value or a Cond

	RawTest Kind = 0xFB // what package testing says: the name of a test

	// OutsidePC marks a program counter in the place of a site.
	OutsidePC = 1 << 31

	// FirstFiring is the number of the first goroutine that is the firing of a timer; the runtime's
	// own numbers are below.
	FirstFiring = 1 << 40

	RawChunk Kind = 0xFF

	// MaxValue is how many bytes of a value are recorded: the size of a record has 16 bits.
	MaxValue = 0xFFF8

	// MaxVar is the size of the largest variable of which other bytes than zeros are recorded.
	MaxVar = 4096

	// MaxConsts is how many bytes of read-only data are recorded.
	MaxConsts = 16 << 20
)

// StopReason says why a process stopped recording while it ran on.
type StopReason uint64

const (
	NotStopped StopReason = 0
	StopNoFile StopReason = 1 // a file could not be created
	StopNoDisk StopReason = 2 // no room on the disk for another file
	StopNoMap  StopReason = 3 // a file could not be mapped
	StopLimit  StopReason = 4 // the run has taken what it may take on the disk
)

// RawHeader packs the header word of a record.
func RawHeader(k Kind, f Flags, size uint16, site uint32) uint64 {
	return uint64(k)<<56 | uint64(f)<<48 | uint64(size)<<32 | uint64(site)
}

// RawLen returns the number of words of the record with header h, the header
// included, and the index of its stamp among them (0: it has none). It returns 0, 0
// for a header that no record has.
func RawLen(h uint64) (words, stamp int) {
	size := int(h >> 32 & 0xFFFF)
	switch Kind(h >> 56) {
	case OpaqueBegin, OpaqueEnd, Block, ReachSet, RawContext:
		return 1, 0
	case Enter, Exit:
		return 2, 0
	case SelectDefault, End, RawStamp, RawGC:
		return 2, 1
	case Value, RawTest:
		return 1 + max(1, (size+7)/8), 0
	case Read, Write:
		return 2 + max(1, size/8), 0
	case Lock, Unlock, TryFail, WGWait, OnceBegin, OnceEnd, OncePass,
		CondWait, CondWake, CondSignal, CondBroadcast, Go, Acquire, Release, ReleaseMerge, Observe:
		return 3, 2
	case Start:
		return 3 + (size+7)/8, 2
	case AtomicRead, AtomicWrite, Alloc:
		return 4, 3
	case MethodBegin, MethodEnd:
		return 3, 2
	case Reach:
		if size > 0 {
			return 2, 0
		}
		return 3, 0
	case AtomicRMW, WGAdd, ChanSend, ChanRecv, ChanClose, ChanLen, SelectCase:
		return 5, 4
	case RawShort:
		return shortLen(h), 0
	case RawVar:
		return 3 + (size+7)/8, 0
	case RawMade:
		return madeLen(h), 0
	case RawSet:
		return 1 + size, 0
	case RawConst, RawPC:
		return 2 + (size+7)/8, 0
	case RawLate:
		return 4, 0
	case RawChunk:
		return ChunkHeaderWords, 0
	}
	return 0, 0
}

// madeLen returns the number of words of a RawMade.
func madeLen(h uint64) int {
	if Flags(h>>48)&(FlagMore|FlagWrite) != 0 {
		return 4
	}
	return 3 + (int(h>>32&0xFFFF)+7)/8
}
