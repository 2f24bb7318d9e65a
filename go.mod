module presage

go 1.25.0
