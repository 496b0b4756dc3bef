// Package parsing measures informerd's parser alone, on every kind of object: the cost of a first
// list and of updates, compared with json.Valid, which only checks, and with the same parser
// without remembered objects.
//
//	GOMAXPROCS=1 go test -bench Kinds -benchtime 5x ./parsing
package parsing
