// Command json has goroutines marshal and unmarshal structs, maps and slices, a fixed number of
// times.
package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"sync"
)

const (
	goroutines = 4
	rounds     = 1000 // of each goroutine
)

type order struct {
	ID       int               `json:"id"`
	Customer string            `json:"customer"`
	Paid     bool              `json:"paid,omitempty"`
	Total    float64           `json:"total"`
	Lines    []line            `json:"lines"`
	Tags     map[string]string `json:"tags"`
	Note     *string           `json:"note"`
	Counts   map[string][]int  `json:"counts"`
}

type line struct {
	Article  string
	Quantity int
	Price    float64
	Options  []string
}

func main() {
	sizes := make([]int, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range rounds {
				n, err := roundTrip(newOrder(g*rounds + i))
				if err != nil {
					panic(err)
				}
				sizes[g] += n
			}
		})
	}
	wg.Wait()
	fmt.Println(sizes)
}

func newOrder(id int) *order {
	note := "note of " + strconv.Itoa(id)
	o := &order{ID: id, Customer: "customer \u00e9 " + strconv.Itoa(id%7), Paid: id%2 == 0, Total: float64(id) / 4, Note: &note,
		Tags: map[string]string{}, Counts: map[string][]int{}}
	for i := range 12 {
		name := strconv.Itoa(i)
		o.Lines = append(o.Lines, line{"article " + name, id % (i + 1), float64(i) * 1.5, []string{"a", "b" + name}})
		o.Tags["tag "+name] = "<" + name + ">"
		o.Counts["count "+name] = []int{id, i, id * i}
	}
	return o
}

// roundTrip checks that an order is what it was, by its type and as a tree of maps, and returns its
// size as text.
func roundTrip(o *order) (int, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return 0, err
	}
	var back order
	if err := json.Unmarshal(text, &back); err != nil {
		return 0, err
	}
	if !reflect.DeepEqual(o, &back) {
		return 0, fmt.Errorf("order %d is not what it was", o.ID)
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return 0, err
	}
	again, err := json.Marshal(tree)
	return len(text) + len(again), err
}
