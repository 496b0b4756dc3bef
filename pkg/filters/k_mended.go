package filters

// maxMended is how many mistakes that end the parser's work are mended one after the other.
const maxMended = 5

// beyond returns a mistake that ended the parser's work together with those that it hides: the text
// is read again as its hint proposes it, or with another change that lets it be read.
func (s draft) beyond(first *CompileError) error {
	change := first.fix
	if change == nil {
		change = first.mend
	}
	if change == nil || s.mended == maxMended {
		return first
	}
	mended := s
	mended.Text = change.apply(s.Text)
	mended.mended++
	var found mistakes
	found.add(first)
	tree, err := mended.parse()
	if err == nil {
		err = mended.all(tree, &mistakes{}) // the fields
	}
	for _, mistake := range Mistakes(err) {
		offset, ok := change.origin(mistake.offset)
		if !ok {
			continue
		}
		moved := s.compileError(offset, "%s", mistake.Message)
		if fix := mistake.fix; fix != nil {
			from, ok1 := change.origin(fix.From)
			to, ok2 := change.origin(fix.To)
			if ok1 && ok2 && (to < change.From || from > change.To) {
				moved.fix = &Fix{from, to, fix.Text}
			}
		}
		found.add(moved)
	}
	return found.err()
}
