// Command values has url.Values, a map, that two goroutines add to.
package main

import (
	"fmt"
	"net/url"
	"sync"
)

func main() {
	v := url.Values{}
	var wg sync.WaitGroup
	wg.Go(func() { v.Set("a", "1"); v.Add("a", "2") })
	wg.Go(func() { v.Add("b", "2") })
	wg.Wait()
	fmt.Println(v.Encode())
}
