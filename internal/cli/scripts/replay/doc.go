// Package replay runs scripts of the command that replay races: by ID, from kept schedules, and as
// part of test and run.
package replay
