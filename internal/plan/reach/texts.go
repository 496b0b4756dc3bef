package reach

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MaxNamed is how many listeners are named one by one of which the same is said.
const MaxNamed = 3

// Several names listeners of which the same is said.
func Several(names []string) string {
	return fmt.Sprintf("%d listeners (%s …)", len(names), strings.Join(names[:MaxNamed], ", "))
}

// Texts returns what is missed of listeners, those together that are many and of which the same is
// said. Alone: each has a text, by the names of listeners.
func Texts(all []Missed, alone bool) (texts []string) {
	if alone {
		all = slices.SortedStableFunc(slices.Values(all), func(a, b Missed) int {
			return cmp.Compare(a.Listener, b.Listener)
		})
	}
	of := map[string][]string{} // names, by what is said
	what := func(m Missed) string { return strings.TrimPrefix(m.Text(), m.Listener+": ") }
	for _, m := range all {
		of[what(m)] = append(of[what(m)], m.Listener)
	}
	for _, m := range all {
		switch names := of[what(m)]; {
		case alone || len(names) <= MaxNamed:
			texts = append(texts, m.Text())
		case names[0] == m.Listener:
			texts = append(texts, Several(names)+": "+what(m))
		}
	}
	return texts
}
