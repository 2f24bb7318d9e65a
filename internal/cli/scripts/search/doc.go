// Package search runs scripts of the command about prediction: which races it finds, and which
// pairs it must not report.
package search
