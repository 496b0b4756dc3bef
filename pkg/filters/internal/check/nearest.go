package check

import "github.com/informerd/informerd/internal/nearest"

// nearestOf returns the name nearest to a word, "" if none is near.
func nearestOf(word string, names []string) string {
	near, _ := nearest.Name(word, names)
	return near
}
