module github.com/presage-race/presage/golangci

go 1.26.0

require (
	github.com/golangci/plugin-module-register v0.1.2
	// A release names the version of presage that it was made with. The directive replace below has
	// no effect where another module requires this one.
	github.com/presage-race/presage v0.0.0
	golang.org/x/mod v0.42.0
	golang.org/x/tools v0.52.0
)

require github.com/google/go-cmp v0.7.0

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
)

replace github.com/presage-race/presage => ../
