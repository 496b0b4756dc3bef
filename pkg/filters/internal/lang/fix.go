package lang

// Fix is a change of an expression's text: the characters From to To become Text.
type Fix struct {
	From, To int
	Text     string
}

// Apply returns the changed text.
func (f Fix) Apply(text string) string {
	runes := []rune(text)
	from := min(max(f.From, 0), len(runes))
	to := min(max(f.To, from), len(runes))
	return string(runes[:from]) + f.Text + string(runes[to:])
}

// Fixed returns the text as the hint proposes it, false if the hint proposes no text. Other
// mistakes remain in it.
func (e *CompileError) Fixed() (string, bool) {
	if e.Fix == nil {
		return "", false
	}
	return e.Fix.Apply(e.Expression.Text), true
}

// Origin returns the offset that a character of the changed text had before, false if the
// character is new.
func (f Fix) Origin(offset int) (int, bool) {
	end := f.From + len([]rune(f.Text))
	switch {
	case offset < f.From:
		return offset, true
	case offset >= end:
		return offset - end + f.To, true
	}
	return 0, false
}
