// Package window builds windows.
package window
