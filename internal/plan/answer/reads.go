package answer

import (
	"regexp"
	"slices"

	"github.com/informerd/informerd/pkg/filters"
)

// ReadsInitial reports whether a part looks at whether the event is one of the first list.
func ReadsInitial(s filters.Step) bool {
	return s.Text == "initial" || slices.ContainsFunc(s.Children, ReadsInitial)
}

// ReadsOld reports whether a part was evaluated that compares the object with the old one.
func ReadsOld(s filters.Step) bool {
	return s.Evaluated && (ofOld.MatchString(s.Text) || slices.ContainsFunc(s.Children, ReadsOld))
}

// ReadsStatus reports whether a part was evaluated that looks at the object's status.
func ReadsStatus(s filters.Step) bool {
	return s.Evaluated &&
		(ofStatus.MatchString(s.Text) || slices.ContainsFunc(s.Children, ReadsStatus))
}

var ofStatus = regexp.MustCompile(`^(object\.status\b|condition\()`)

var ofOld = regexp.MustCompile(`^(old\b|(changed|became)\()`)
