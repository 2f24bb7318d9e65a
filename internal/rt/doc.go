// Package rt has the recorder that presage puts into the program under test, and
// the changes to the standard library that feed it.
package rt
