// Package reports has the sessions on reports: their forms, suppressed races, and warnings of vet.
package reports
