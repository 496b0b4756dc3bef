package lang

// Fix is a change of an expression's text that the hint of a mistake proposes: the characters From
// to To become Text.
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

// Fixed returns the expression as the hint proposes it, false if the hint proposes no text. Other
// mistakes in the expression are still there.
func (e *CompileError) Fixed() (string, bool) {
	if e.Fix == nil {
		return "", false
	}
	return e.Fix.Apply(e.Expression.Text), true
}

// Origin returns where a character of the changed text was before, false if it is new.
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
