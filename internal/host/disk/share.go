package disk

import (
	"fmt"
	"strconv"
	"strings"
)

// A Share is how much of a disk, or of memory, may be taken. The zero value is half of what is
// free.
type Share struct {
	Bytes   int64 // 0: Percent of what is free
	Percent float64
}

// Half is the share without an option.
const Half = 50

// units are those of a size, each 1024 times the one before.
const units = "KMGT"

// ParseShare reads a size, as 500M or 1.5G, or a part of what is free, as 25%.
func ParseShare(s string) (Share, error) {
	number, unit := s, 1.0
	part := strings.HasSuffix(s, "%")
	if part {
		number = strings.TrimSuffix(s, "%")
	} else if i := strings.IndexByte(units, last(s)); i >= 0 {
		number, unit = s[:len(s)-1], float64(int64(1)<<(10*(i+1)))
	}
	n, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || !(n > 0) || n*unit < 1 && !part || n*unit > 1<<60 || part && n > 100:
		return Share{}, fmt.Errorf("%q is neither a size such as 500M or 2G nor a part of what is free such as 25%%", s)
	case part:
		return Share{Percent: n}, nil
	}
	return Share{Bytes: int64(n * unit)}, nil
}

func last(s string) byte {
	if s == "" {
		return 0
	}
	return s[len(s)-1]
}

// Of returns the bytes of a share of the disk that dir is on.
func (s Share) Of(dir string) (int64, error) {
	if s.Bytes > 0 {
		return s.Bytes, nil
	}
	free, err := Free(dir)
	if err != nil {
		return 0, err
	}
	return s.OfBytes(free), nil
}

// OfBytes returns the bytes of a share where so many are free.
func (s Share) OfBytes(free int64) int64 {
	if s.Bytes > 0 {
		return s.Bytes
	}
	percent := s.Percent
	if percent == 0 {
		percent = Half
	}
	return int64(float64(free) / 100 * percent)
}

// Size writes n bytes as ParseShare reads them, with three digits.
func Size(n int64) string {
	x, unit := float64(n), ""
	for i := 0; i < len(units) && x >= 1000; i++ {
		x, unit = x/1024, units[i:i+1]
	}
	return fmt.Sprintf("%.3g%s", x, unit)
}
