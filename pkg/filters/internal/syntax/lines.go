package syntax

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// SwallowedComment is what a comment is answered with that goes on in the next line of the file.
const SwallowedComment = "// begins a comment, which goes on to the end here, since YAML joins the lines of this text; write it as a block with |, which keeps them"

var (
	// hashComment is a comment of YAML or of a shell, and not an item of a list.
	hashComment = regexp.MustCompile(`^#+\s*[A-Za-z][\w'-]*(?:[,:]?[ \t]+[A-Za-z0-9]|[ \t]*(?:\r?\n|$))`)
	operand     = regexp.MustCompile(`^[A-Za-z_(!"']`)
	openEnd     = regexp.MustCompile(`(?:[-+*/%=!<>&|?:,;({\[.]|\b(?:and|or|not|in|matches|contains|startsWith|endsWith))$`)
)

// lines recognizes what goes wrong with the lines of a text: a comment that goes on, one that
// begins with #, and a line that is not joined with the one before it.
func (s Source) lines(plain string, offset int, text []rune) *lang.CompileError {
	offset = min(offset, len(text))
	at, ok := s.Swallowed()
	if ok && (offset > at || strings.TrimSpace(string(text[offset:at])) == "") {
		return s.CompileError(at, "%s", SwallowedComment)
	}
	before := strings.TrimRightFunc(string(text[:offset]), unicode.IsSpace)
	rest := string(text[offset:])
	if hashComment.MatchString(rest) && (offset == 0 || unicode.IsSpace(text[offset-1])) {
		after := s
		after.Text = string(text[:offset]) + "//" + string(text[offset+1:])
		after.Positions = nil
		if n := len(s.Positions); n > offset+1 { // one character more, at the same place
			after.Positions = append(append([]lang.Position{}, s.Positions[:offset+1]...),
				s.Positions[offset:]...)
		}
		if _, swallows := after.Swallowed(); swallows {
			return s.CompileError(offset, "a comment begins with // and ends with its line: write it so, in a block with |")
		}
		return s.Replacing(offset, offset+1, "//", "a comment begins with //: write it so")
	}
	if s.Kind.Returns() == lang.ReturnsBool && strings.HasPrefix(plain, "unexpected ") &&
		before != "" && s.beginsLine(offset, len([]rune(before))-1, text) &&
		operand.MatchString(rest) && !openEnd.MatchString(before) &&
		!operatorWord.MatchString(rest) && balanced(before) {
		return s.Replacing(offset, offset, "&& ",
			"this line begins another condition; join it with && or ||, as in && %s",
			strings.TrimSpace(firstRunes(firstLine(rest), 40)))
	}
	return nil
}

// operatorWord is one at the begin of a line.
var operatorWord = regexp.MustCompile(`^(?i:and|or|not|in|is|matches|contains|startsWith|endsWith)\b`)

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// beginsLine reports whether a character is in another line than one before it.
func (s Source) beginsLine(offset, before int, text []rune) bool {
	if strings.ContainsRune(string(text[before:offset]), '\n') {
		return true
	}
	return len(s.Positions) > offset && s.Positions[offset].Line > s.Positions[before].Line
}

// balanced reports whether a text has as many closing brackets as opening ones.
func balanced(text string) bool {
	count := func(brackets string) (n int) {
		for _, r := range text {
			if strings.ContainsRune(brackets, r) {
				n++
			}
		}
		return n
	}
	return count("([{") == count(")]}")
}
