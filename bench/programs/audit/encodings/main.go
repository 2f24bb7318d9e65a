// Encodings encodes and decodes values in several formats, in goroutines that share caches of
// types.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"log"
	"reflect"
	"sync"
)

type item struct {
	ID    int
	Name  string
	Tags  []string
	Price float64
	Attrs map[string]int `xml:"-"`
	Next  *item
}

func main() {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 5 {
				if err := roundTrips(i*100 + j); err != nil {
					log.Fatal(err)
				}
			}
		})
	}
	wg.Wait()
}

func newItem(n int) *item {
	return &item{ID: n, Name: fmt.Sprint("item ", n), Tags: []string{"a", "b<c>"}, Price: float64(n) / 3,
		Attrs: map[string]int{"x": n, "y": -n, "z": n * n}, Next: &item{ID: n + 1, Tags: []string{}, Attrs: map[string]int{}}}
}

func roundTrips(n int) error {
	in := newItem(n)
	b, err := json.MarshalIndent(in, "", " ")
	if err != nil {
		return err
	}
	out := new(item)
	if err := json.Unmarshal(b, out); err != nil {
		return err
	}
	if !reflect.DeepEqual(in, out) {
		return fmt.Errorf("json: %+v, not %+v", out, in)
	}
	var buf bytes.Buffer
	if err := gob.NewEncoder(&buf).Encode(in); err != nil {
		return err
	}
	if err := gob.NewDecoder(&buf).Decode(new(item)); err != nil {
		return err
	}
	if b, err = xml.Marshal(in); err != nil {
		return err
	}
	if err := xml.Unmarshal(b, new(item)); err != nil {
		return err
	}
	return texts(n, b)
}

func texts(n int, b []byte) error {
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	for i := range 5 {
		if err := w.Write([]string{fmt.Sprint(n + i), "x,y", "\"q\""}); err != nil {
			return err
		}
	}
	w.Flush()
	if _, err := csv.NewReader(&buf).ReadAll(); err != nil {
		return err
	}
	if err := binary.Write(&buf, binary.BigEndian, []uint16{1, 2, uint16(n)}); err != nil {
		return err
	}
	nums := make([]uint16, 3)
	if err := binary.Read(&buf, binary.BigEndian, nums); err != nil {
		return err
	}
	s := base64.StdEncoding.EncodeToString(b) + hex.EncodeToString(b)
	if _, err := base64.StdEncoding.DecodeString(s[:len(s)-2*len(b)]); err != nil {
		return err
	}
	_, err := hex.DecodeString(s[len(s)-2*len(b):])
	return err
}
