// Package engine decides whether two accesses of a window race.
package engine
