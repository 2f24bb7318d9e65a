module quiet

go 1.25
