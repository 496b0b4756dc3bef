package main

// outermost panics three calls deep.
//
//go:noinline
func outermost(list []int, at int) int { return middle(list, at+1) - 2 }

//go:noinline
func middle(list []int, at int) int { return innermost(list, at+1) * 3 }

//go:noinline
func innermost(list []int, at int) int { return list[at] }
