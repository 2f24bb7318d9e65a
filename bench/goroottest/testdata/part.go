// rundir

package main
