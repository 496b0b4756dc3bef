module cpu

go 1.26.0
