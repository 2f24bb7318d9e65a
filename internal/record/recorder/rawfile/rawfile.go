// Package rawfile reads the records that the recorder of package recorder wrote to the directory of
// one process. The layout of the records is documented in internal/trace/format/raw.go.
//
// A process may have been killed at any moment, so parts of the files may be unused or incomplete.
// A segment without its magic word is skipped, and so is a block that should begin with a chunk
// and is zero: both were reserved and not used. The records of a chunk end at its first zero word,
// because the recorder writes the header of a record last. The chunks of a stream are ordered by
// their sequence numbers. Only the last one may be missing, if the process was killed between
// reserving it and writing its header.
//
//   - (RF1) A box of a segment that is not void replaces its copy in the log, which may be
//     truncated.
//   - (RF2) If the process stopped recording at stamp t, each stream counts up to its last stamp
//     that is not after t.
package rawfile

import (
	"encoding/binary"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/presage-race/presage/internal/trace/format"
)

// A Process is the recording of one process.
type Process struct {
	PID     uint64
	Unix    int64             // its start, in nanoseconds
	Stamp   uint64            // the stamp at its start
	Stopped format.StopReason // why it stopped recording, if it did
	StopAt  uint64            // the stamp then
	Streams []Stream          // by number
}

// A Stream is the records of one goroutine, in program order. GoID 0 is a thread of the runtime.
type Stream struct {
	ID     uint32
	GoID   uint64
	Chunks [][]uint64 // whole records
}

// A Record is one record of a stream.
type Record struct {
	Kind  format.Kind
	Flags format.Flags
	Size  uint16
	Site  uint32
	Stamp uint64   // 0: none
	Words []uint64 // after the header
}

// Records returns the records of s.
func (s Stream) Records() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for _, c := range s.Chunks {
			for len(c) > 0 {
				n, stamp := format.RawLen(c[0])
				r := record(c[:n], stamp)
				if !yield(r) {
					return
				}
				c = c[n:]
			}
		}
	}
}

func record(w []uint64, stamp int) Record {
	h := w[0]
	r := Record{Kind: format.Kind(h >> 56), Flags: format.Flags(h >> 48), Size: uint16(h >> 32), Site: uint32(h), Words: w[1:]}
	if stamp > 0 {
		r.Stamp = w[stamp]
	}
	return r
}

// Name returns the function of a Start record.
func (r Record) Name() string {
	var b []byte
	for _, w := range r.Words[2:] {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return string(b[:r.Size])
}

// chunk is a piece of a stream.
type chunk struct {
	stream, seq uint32
	goid        uint64
	records     []uint64
}

// Read reads the segments in dir.
func Read(dir string) (*Process, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.seg"))
	if err != nil {
		return nil, err
	}
	logs, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	p := &Process{}
	var chunks []chunk
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading raw records: %w", err)
		}
		cs, err := p.segment(words(b))
		if err != nil {
			return nil, fmt.Errorf("reading raw records %s: %w", name, err)
		}
		chunks = append(chunks, cs...)
	}
	boxes := map[[2]uint32]bool{}
	for _, c := range chunks {
		boxes[[2]uint32{c.stream, c.seq}] = true
	}
	for _, name := range logs {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading raw records: %w", err)
		}
		cs, err := logged(words(b), boxes)
		if err != nil {
			return nil, fmt.Errorf("reading raw records %s: %w", name, err)
		}
		chunks = append(chunks, cs...)
	}
	if err := p.streams(chunks); err != nil {
		return nil, fmt.Errorf("reading raw records in %s: %w", dir, err)
	}
	return p, nil
}

func words(b []byte) []uint64 {
	w := make([]uint64, len(b)/8)
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return w
}

// segment reads one segment.
func (p *Process) segment(w []uint64) ([]chunk, error) {
	if len(w) < format.RawBlockWords || w[0] != format.SegMagic {
		return nil, nil // reserved and not used
	}
	if w[1] != format.RawVersion {
		return nil, fmt.Errorf("version %d, not %d", w[1], format.RawVersion)
	}
	if w[3] == 0 {
		p.PID, p.Unix, p.Stamp, p.Stopped, p.StopAt = w[2], int64(w[6]), w[7], format.StopReason(w[5]), w[8]
	}
	var out []chunk
	for i := format.RawBlockWords; i < len(w); {
		if format.Kind(w[i]>>56) != format.RawChunk {
			if w[i] != 0 {
				return nil, fmt.Errorf("word %d: no chunk: %#x", i, w[i])
			}
			i += format.RawBlockWords // reserved and not used
			continue
		}
		n := int(uint32(w[i]))
		if n < format.ChunkHeaderWords || n > len(w)-i {
			return nil, fmt.Errorf("word %d: chunk of length %d", i, n)
		}
		if w[i+2] != 0 { // else it is void, with its records in the log
			cs, err := chunksIn(w[i : i+n])
			if err != nil {
				return nil, fmt.Errorf("chunk at word %d, %w", i, err)
			}
			out = append(out, cs...)
		}
		i += n
	}
	return out, nil
}

// logged reads a file of the log. It skips the chunks of the given boxes of segments (RF1).
func logged(w []uint64, boxes map[[2]uint32]bool) ([]chunk, error) {
	var out []chunk
	for ; len(w) >= format.RawBoxWords; w = w[format.RawBoxWords:] {
		if w[0] == 0 || boxes[[2]uint32{uint32(w[2] >> 32), uint32(w[2])}] {
			continue
		}
		if format.Kind(w[0]>>56) != format.RawChunk || uint32(w[0]) != format.RawBoxWords {
			return nil, fmt.Errorf("no box: %#x", w[0])
		}
		cs, err := chunksIn(w[:format.RawBoxWords])
		if err != nil {
			return nil, fmt.Errorf("box of stream %d, %w", w[2]>>32, err)
		}
		out = append(out, cs...)
	}
	return out, nil
}

// chunksIn reads a chunk and the chunks within it.
func chunksIn(w []uint64) ([]chunk, error) {
	var out []chunk
	start := 0
	for i := 0; ; {
		if i == len(w) || w[i] == 0 { // the header of the next record was not written
			out[len(out)-1].records = w[start:i]
			return out, nil
		}
		n, _ := format.RawLen(w[i])
		if n == 0 || n > len(w)-i {
			return nil, fmt.Errorf("word %d: no record: %#x", i, w[i])
		}
		if format.Kind(w[i]>>56) == format.RawChunk {
			if len(out) > 0 {
				out[len(out)-1].records = w[start:i]
			}
			out = append(out, chunk{goid: w[i+1], stream: uint32(w[i+2] >> 32), seq: uint32(w[i+2])})
			start = i + n
		}
		i += n
	}
}

// streams sorts the chunks into streams.
func (p *Process) streams(chunks []chunk) error {
	slices.SortFunc(chunks, func(a, b chunk) int {
		if a.stream != b.stream {
			return int(a.stream) - int(b.stream)
		}
		return int(a.seq) - int(b.seq)
	})
	for _, c := range chunks {
		if c.seq == 0 {
			p.Streams = append(p.Streams, Stream{ID: c.stream, GoID: c.goid})
		}
		last := len(p.Streams) - 1
		if last < 0 || p.Streams[last].ID != c.stream || len(p.Streams[last].Chunks) != int(c.seq) {
			return fmt.Errorf("stream %d: chunk %d without the one before", c.stream, c.seq)
		}
		p.Streams[last].Chunks = append(p.Streams[last].Chunks, c.records)
	}
	if p.Stopped != format.NotStopped {
		for i := range p.Streams {
			p.Streams[i].cut(p.StopAt)
		}
	}
	return nil
}

// cut drops the records after the last stamp that is not after t (RF2).
func (s *Stream) cut(t uint64) {
	for len(s.Chunks) > 0 {
		c := s.Chunks[len(s.Chunks)-1]
		end := 0
		for i := 0; i < len(c); {
			n, stamp := format.RawLen(c[i])
			if stamp > 0 && c[i+stamp] <= t {
				end = i + n
			}
			i += n
		}
		if end > 0 {
			s.Chunks[len(s.Chunks)-1] = c[:end]
			return
		}
		s.Chunks = s.Chunks[:len(s.Chunks)-1]
	}
}
