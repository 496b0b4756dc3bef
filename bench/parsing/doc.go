// Package parsing measures informerd's parser by itself, on every kind of object: what a first list
// and updates cost beside json.Valid, which only checks, and beside the same parser with nothing
// remembered.
//
//	GOMAXPROCS=1 go test -bench Kinds -benchtime 5x ./parsing
package parsing
