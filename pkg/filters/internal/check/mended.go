package check

import "github.com/informerd/informerd/pkg/filters/internal/lang"

// maxMended is how many mistakes that stop the parser are mended one after another.
const maxMended = 5

// withHidden returns a mistake that stopped the parser together with those that it hides:
// the text is read again with the proposed change, or with another change that lets it be
// read.
func (s draft) withHidden(first *lang.CompileError) error {
	change := first.Fix
	if change == nil {
		change = first.Mend
	}
	if change == nil || s.mended == maxMended {
		return first
	}
	mended := s
	mended.Text = change.Apply(s.Text)
	mended.mended++
	var found mistakes
	found.add(first)
	tree, err := mended.parse()
	if err == nil {
		err = mended.allMistakes(tree, &mistakes{}) // the fields
	}
	for _, mistake := range lang.Mistakes(err) {
		offset, ok := change.Origin(mistake.Offset)
		if !ok {
			continue
		}
		moved := s.CompileError(offset, "%s", mistake.Message)
		if fix := mistake.Fix; fix != nil {
			from, ok1 := change.Origin(fix.From)
			to, ok2 := change.Origin(fix.To)
			if ok1 && ok2 && (to < change.From || from > change.To) {
				moved.Fix = &lang.Fix{From: from, To: to, Text: fix.Text}
			}
		}
		found.add(moved)
	}
	return found.err()
}
