package merge

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/presage-race/presage/internal/trace/format"
)

// Process identifies the process that made a recording.
type Process struct {
	PID     uint64
	Unix    int64             // start, in nanoseconds
	Stamp   uint64            // stamp at the start
	Stopped format.StopReason // why it stopped recording while it ran on
	StopAt  uint64            // stamp at that moment, 0 if not known
	Seed    uint64            // of its random numbers
	Args    uint64            // hash of its arguments
	Parent  uint64            // the process that started it
	Limit   int64             // bytes that the run may take on the disk, 0 if there is none
	// Blind is the reason why accesses of outside code are not recorded (word 13 of segment 0). It
	// is 0 if they are.
	Blind uint64
	Lost  int  // accesses of outside code that could not be recorded
	Ended bool // the process recorded its end, with the accesses of emitted code until then
}

// Whole reports whether the process recorded its end, and was recorded until then. Its records do
// not change any more.
func (p Process) Whole() bool { return p.Ended && p.Stopped == format.NotStopped }

// recording is the mapped segments of a process, and the index of their records.
type recording struct {
	Process
	in      string // directory of the run
	maps    [][]byte
	streams []*stream
	bytes   int64
	damage  []string                 // parts that could not be read
	sets    map[uint32]span          // RawSet records, by number
	grown   map[uint32][]span        // RawSet records that a D grows by
	endless map[uint32]bool          // Ds that have grown to all of memory
	late    map[uint64][]*lateAccess // by context
	places  map[uint32]pcPlace       // by program counter
	gcs     []uint64                 // stamps of garbage collections, ascending
}

// span is a run of whole records within one chunk.
type span struct {
	seg        int32
	start, end int64 // bytes
}

// chunk is a span of a stream.
type chunk struct {
	chunkID
	goid uint64
	span
}

type chunkID struct{ stream, seq uint32 }

// openRecording maps the segments and the log in dir and finds the streams.
func openRecording(dir string) (*recording, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.seg"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	slices.Sort(logs)
	r := &recording{in: filepath.Dir(dir)}
	var chunks []chunk
	for _, name := range names {
		if chunks, err = r.segment(name, chunks); err != nil {
			r.close()
			return nil, fmt.Errorf("reading raw records %s: %w", name, err)
		}
	}
	boxes := make(map[chunkID]bool, len(chunks))
	for _, c := range chunks {
		boxes[c.chunkID] = true
	}
	for _, name := range logs {
		if chunks, err = r.log(name, boxes, chunks); err != nil {
			r.close()
			return nil, fmt.Errorf("reading raw records %s: %w", name, err)
		}
	}
	r.join(chunks)
	return r, nil
}

func (r *recording) close() {
	for _, m := range r.maps {
		unmap(m)
	}
	r.maps = nil
}

// release gives the pages of a span back to the system when the cursor of s moves on to c in
// another span. Other data in those pages is read from the file again.
func (r *recording) release(s *stream, c *cursor) {
	if s.seg < 0 || c.span == s.span {
		return
	}
	sp := s.spans[s.span-1]
	r.giveBack(r.maps[sp.seg], sp.start, sp.end)
}

// giveBack gives the whole pages of b[start:end] back to the system.
func (r *recording) giveBack(b []byte, start, end int64) {
	lo, hi := (start+pageBytes-1)/pageBytes*pageBytes, end/pageBytes*pageBytes
	if lo < hi {
		discard(b[lo:hi])
	}
}

const pageBytes = 4096

// word returns the word at byte i.
func word(b []byte, i int64) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

const (
	blockBytes  = 8 * format.RawBlockWords
	headerBytes = 8 * format.ChunkHeaderWords
	boxBytes    = 8 * format.RawBoxWords
)

// segment maps a file and appends its chunks. It skips a file without a header.
func (r *recording) segment(name string, chunks []chunk) ([]chunk, error) {
	b, err := mapFile(name)
	if err != nil || b == nil {
		return chunks, err
	}
	r.maps = append(r.maps, b)
	if word(b, 0) != format.SegMagic {
		return chunks, nil
	}
	if v := word(b, 8); v != format.RawVersion {
		return nil, fmt.Errorf("version %d; this presage reads version %d", v, format.RawVersion)
	}
	if word(b, 24) == 0 {
		r.Process = processOf(b)
	}
	for i := int64(blockBytes); i+headerBytes <= int64(len(b)); {
		h := word(b, i)
		size := int64(uint32(h)) * 8
		switch {
		case h == 0: // reserved and not used
			i += blockBytes
			continue
		case format.Kind(h>>56) != format.RawChunk || size < headerBytes || size > int64(len(b))-i:
			r.damaged("%s, byte %d: no chunk: %#x", filepath.Base(name), i, h)
			i += blockBytes
			continue
		}
		if word(b, i+16) != 0 { // else it is a void box, with its records in the log
			chunks = r.chunks(int32(len(r.maps)-1), i, i+size, chunks)
			r.giveBack(b, i, i+size)
		}
		i += (size + blockBytes - 1) / blockBytes * blockBytes
	}
	return chunks, nil
}

func processOf(b []byte) Process {
	return Process{
		PID: word(b, 16), Unix: int64(word(b, 48)), Stamp: word(b, 56), Stopped: format.StopReason(word(b, 40)), StopAt: word(b, 64),
		Seed: word(b, 72), Args: word(b, 80), Parent: word(b, 88), Limit: int64(word(b, 96)), Blind: word(b, 104), Lost: max(0, int(word(b, 112))-1), Ended: word(b, 112) != 0,
	}
}

// Head returns the process that made the recording in dir, and false if dir has no readable
// recording.
func Head(dir string) (Process, bool) {
	f, err := os.Open(filepath.Join(dir, "000000.seg"))
	if err != nil {
		return Process{}, false
	}
	defer f.Close()
	b := make([]byte, 8*format.SegHeaderWords)
	if _, err := io.ReadFull(f, b); err != nil || word(b, 0) != format.SegMagic || word(b, 8) != format.RawVersion {
		return Process{}, false
	}
	return processOf(b), true
}

// log maps a file of the log and appends the chunks of its boxes. It skips the boxes that are in a
// segment too, since their copies in the log may be truncated.
func (r *recording) log(name string, boxes map[chunkID]bool, chunks []chunk) ([]chunk, error) {
	b, err := mapFile(name)
	if err != nil || b == nil {
		return chunks, err
	}
	r.maps = append(r.maps, b)
	for i := int64(0); i+boxBytes <= int64(len(b)); i += boxBytes {
		h, id := word(b, i), word(b, i+16)
		switch {
		case h == 0 || boxes[chunkID{uint32(id >> 32), uint32(id)}]:
		case format.Kind(h>>56) != format.RawChunk || uint32(h) != format.RawBoxWords:
			r.damaged("%s, byte %d: no box: %#x", filepath.Base(name), i, h)
		default:
			chunks = r.chunks(int32(len(r.maps)-1), i, i+boxBytes, chunks)
			r.giveBack(b, i, i+boxBytes)
		}
	}
	return chunks, nil
}

func mapFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || st.Size() < blockBytes {
		return nil, err
	}
	b, err := mapped(f, st.Size())
	if err != nil {
		return nil, fmt.Errorf("mapping it: %w", err)
	}
	return b, nil
}

// chunks appends the chunk at start, and the chunks within it.
func (r *recording) chunks(seg int32, start, end int64, chunks []chunk) []chunk {
	b := r.maps[seg]
	first := len(chunks)
	for i := start; ; {
		var h uint64
		if i+8 <= end {
			h = word(b, i)
		}
		words, _ := format.RawLen(h)
		n := int64(words) * 8
		bad := h != 0 && (n == 0 || n > end-i)
		if h == 0 || bad || format.Kind(h>>56) == format.RawChunk {
			if len(chunks) > first {
				chunks[len(chunks)-1].end = i
				r.bytes += i - chunks[len(chunks)-1].start
			}
		}
		if bad {
			r.damaged("file %d, byte %d: no record: %#x", seg, i, h)
			// Keep the word in the span: endsBadly finds it (ME7).
			chunks[len(chunks)-1].end = i + 8
		}
		if h == 0 || bad {
			return chunks
		}
		switch format.Kind(h >> 56) {
		case format.RawSet:
			r.set(h, span{seg, i + 8, i + n})
		case format.RawGC:
			r.gcs = append(r.gcs, word(b, i+8))
		case format.RawLate:
			r.addLate(b[i+8:i+n], uint32(h))
		case format.RawPC:
			r.addPlace(uint32(h), int(h>>32&0xffff), b[i+8:i+n])
		case format.RawChunk:
			id := word(b, i+16)
			chunks = append(chunks, chunk{chunkID{uint32(id >> 32), uint32(id)}, word(b, i+8), span{seg, i + n, 0}})
		}
		i += n
	}
}

// addLate keeps a RawLate.
func (r *recording) addLate(w []byte, kind uint32) {
	if r.late == nil {
		r.late = make(map[uint64][]*lateAccess)
	}
	x := &lateAccess{word: word(w, 0), entry: word(w, 8), at: word(w, 16), kind: format.Kind(kind)}
	id := x.entry >> entryContext
	r.late[id] = append(r.late[id], x)
}

// addPlace keeps a RawPC.
func (r *recording) addPlace(pc uint32, size int, w []byte) {
	if r.places == nil {
		r.places = make(map[uint32]pcPlace)
	}
	text := w[8:]
	text = text[:min(size, len(text))]
	name, file, _ := bytes.Cut(text, []byte{0})
	r.places[pc] = pcPlace{string(name), string(file), int32(word(w, 0))}
}

// set keeps a RawSet.
func (r *recording) set(h uint64, x span) {
	if r.sets == nil {
		r.sets, r.grown, r.endless = make(map[uint32]span), make(map[uint32][]span), make(map[uint32]bool)
	}
	switch number, flags := uint32(h), format.Flags(h>>48); {
	case flags&format.FlagMore == 0:
		r.sets[number] = x
	case flags&format.FlagAll != 0:
		r.endless[number] = true
	default:
		r.grown[number] = append(r.grown[number], x)
	}
}

func (r *recording) damaged(s string, args ...any) {
	r.damage = append(r.damage, fmt.Sprintf(s, args...))
}

// join puts the chunks of each stream in order. Of a stream with a gap, it keeps the chunks before
// the gap.
func (r *recording) join(chunks []chunk) {
	slices.Sort(r.gcs)
	slices.SortFunc(chunks, func(a, b chunk) int {
		if a.stream != b.stream {
			return int(a.stream) - int(b.stream)
		}
		return int(a.seq) - int(b.seq)
	})
	var s *stream
	for _, c := range chunks {
		if s == nil || s.id != c.stream {
			s = &stream{id: c.stream, goid: c.goid, seg: -1}
			r.streams = append(r.streams, s)
		}
		if int(c.seq) != len(s.spans) || s.broken {
			if !s.broken {
				r.damaged("stream %d: chunk %d is missing", s.id, len(s.spans))
			}
			s.broken = true
			continue
		}
		s.spans = append(s.spans, c.span)
	}
}
