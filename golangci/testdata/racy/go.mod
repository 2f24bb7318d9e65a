module racy

go 1.25
