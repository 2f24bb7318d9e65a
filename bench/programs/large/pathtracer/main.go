// Command pathtracer renders a picture by path tracing, as sunflow does: workers take tiles from a
// queue and share the scene, its textures, a cache of the light that arrives at places, the film,
// and statistics. A display looks at film and statistics while they work.
//
// It has one known race: the display reads the number of tiles that the queue still has without
// its lock.
package main

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"time"
)

func main() {
	width := flag.Int("width", 24, "width of the picture")
	height := flag.Int("height", 16, "height of the picture")
	passes := flag.Int("passes", 2, "samples for each pixel")
	workers := flag.Int("workers", 4, "goroutines that render")
	out := flag.String("o", "", "write the picture to this file, as PPM")
	flag.Parse()
	if err := render(*width, *height, *passes, *workers, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(width, height, passes, workers int, out string) error {
	s, err := parseScene(defaultScene(), float64(width)/float64(height))
	if err != nil {
		return err
	}
	b := &builder{}
	s.tree = b.build(s.shapes, 0)
	b.wg.Wait()
	r := &renderer{scene: s, film: newFilm(width, height), queue: newQueue(),
		stats: &statistics{perWorker: make(map[int]int)}, light: &irradiance{cells: make(map[[3]int]*cell)}}
	var wg sync.WaitGroup
	for id := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r.work(id)
		}()
	}
	shown := make(chan int)
	end := make(chan struct{})
	go r.display(shown, end)
	for pass := range passes {
		for y := 0; y < height; y += tileSize {
			for x := 0; x < width; x += tileSize {
				r.queue.put(tile{x, y, min(x+tileSize, width), min(y+tileSize, height), pass})
			}
		}
	}
	r.queue.close()
	wg.Wait()
	close(end)
	n := <-shown
	if why := r.failed.Load(); why != nil {
		return fmt.Errorf("%s", *why)
	}
	return r.report(b, n, out)
}

// display looks at the picture from time to time.
func (r *renderer) display(shown chan<- int, end <-chan struct{}) {
	n := 0
	for {
		select {
		case <-end:
			shown <- n
			return
		case <-time.After(2 * time.Millisecond):
		}
		tiles, bright := r.stats.progress()
		left := len(r.queue.tiles) // the known race
		middle := r.film.pixel(r.film.width/2, r.film.height/2)
		if tiles > 0 && left >= 0 && bright >= 0 && middle.luminance() >= 0 {
			n++
		}
	}
}

// report prints what was done, and writes the picture.
func (r *renderer) report(b *builder, shown int, out string) error {
	sum := vec{}
	for y := range r.film.height {
		for x := range r.film.width {
			sum = sum.add(r.film.pixel(x, y))
		}
	}
	tiles, bright := r.stats.progress()
	fmt.Printf("%d nodes, %d leaves, depth %d, %d splits\n", b.nodes, b.leaves, b.depth, b.splits.Load())
	fmt.Printf("%d rays, %d shadow rays, %d tiles, %d shown, brightest %.2f, checksum %.4f\n",
		r.stats.rays.Load(), r.stats.shadows.Load(), tiles, shown, bright, sum.luminance())
	fmt.Printf("%d places, %d found by two\n", r.light.misses, r.light.hits)
	if out == "" {
		return nil
	}
	return r.film.write(out)
}

// write writes the picture as PPM.
func (f *film) write(name string) error {
	w, err := os.Create(name)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "P3\n%d %d\n255\n", f.width, f.height)
	for y := range f.height {
		for x := range f.width {
			p := f.pixel(x, y)
			fmt.Fprintln(w, level(p.x), level(p.y), level(p.z))
		}
	}
	return w.Close()
}

func level(x float64) int { return int(255 * min(1, max(0, x/(1+x)))) }
