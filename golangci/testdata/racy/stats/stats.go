// Package stats has a variable that packages write that import it.
package stats

var total int

// Add counts.
func Add() {
	total++ // want `write of stats.total may race with write at stats/stats.go:8:2`
}
