module command

go 1.26.0
