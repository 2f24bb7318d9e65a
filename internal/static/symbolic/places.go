package symbolic

import (
	"fmt"
	"go/token"
	"hash/crc32"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/place"
	"github.com/presage-race/presage/internal/static/summary"
)

// places numbers the source lines that a summary names. A number does not change when text moves in
// its file.
type places struct {
	fset   *token.FileSet
	sum    *summary.Function // has the lines of the numbers
	id     string            // of the function, in the names of sites
	placed map[token.Pos]int32
	files  map[string]int32
}

func newPlaces(fset *token.FileSet, sum *summary.Function, pos token.Pos) *places {
	p := &places{fset: fset, sum: sum, id: checksum(sum.Key), placed: map[token.Pos]int32{}, files: map[string]int32{}}
	p.at(pos)
	return p
}

// checksum is a short name of a function.
func checksum(key string) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(key))) }

// site names an instruction within the program.
func (pl *places) site(v ssa.Instruction, label string) string {
	return label + "#" + pl.mark(pl.place(v))
}

// mark names a place within the program, in few letters.
func (pl *places) mark(p summary.Pos) string {
	id := pl.id
	if p.Func != pl.sum.Key {
		id = fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(p.Func)))
	}
	return id + "." + strconv.Itoa(int(p.Place))
}

// place is the place of an instruction.
func (pl *places) place(v ssa.Instruction) summary.Pos { return pl.at(place.Of(v)) }

// at is the number of a source line.
func (pl *places) at(p token.Pos) summary.Pos {
	n, ok := pl.placed[p]
	if !ok {
		n = int32(len(pl.sum.Places))
		pl.placed[p] = n
		pos := pl.fset.Position(p)
		file, ok := pl.files[pos.Filename]
		if !ok {
			file = int32(len(pl.sum.Files))
			pl.files[pos.Filename] = file
			pl.sum.Files = append(pl.sum.Files, pos.Filename)
		}
		pl.sum.Places = append(pl.sum.Places, summary.Line{File: file, Line: int32(pos.Line), Column: int32(pos.Column)})
	}
	return summary.Pos{Func: pl.sum.Key, Place: n}
}
