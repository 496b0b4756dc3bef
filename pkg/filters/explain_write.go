package filters

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Bounds on what Write prints.
const (
	shownText  = 160 // characters of a part's text
	shownDepth = 24  // nested parts
)

// failedValue is the text for that value.
const failedValue = "failed"

// Write prints the explanation as a tree, one line for each part, and the error below it.
func (x Explanation) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, x.line())
	writeChildren(out, x.Root, "", 1)
	if x.Err != nil {
		fmt.Fprintf(out, "error: %v\n", x.Err)
	}
	return out.Flush()
}

// line returns the line of the whole expression: its answer, and its value if that is
// another.
func (x Explanation) line() string {
	answer, text := fmt.Sprintf("%-5t  ", x.Matched), x.Root.noted()
	switch {
	case x.message:
		answer = ""
	case x.Err != nil:
		answer = "error  "
	}
	if last := len(x.Root.Values) - 1; last >= 0 {
		switch value := x.Root.Values[last]; value {
		case "true", "false", failedValue:
		default:
			return answer + text + " = " + value
		}
	}
	return answer + text
}

func writeChildren(w io.Writer, s Step, indent string, depth int) {
	if !s.Evaluated {
		return // then none of its children was
	}
	if depth > shownDepth && len(s.Children) > 0 {
		fmt.Fprintf(w, "%s└─ …\n", indent)
		return
	}
	for i, child := range s.Children {
		branch, below := "├─ ", "│  "
		if i == len(s.Children)-1 {
			branch, below = "└─ ", "   "
		}
		fmt.Fprintf(w, "%s%s%s\n", indent, branch, child.line())
		writeChildren(w, child, indent+below, depth+1)
	}
}

// line returns the line of a part. What is true or false comes first, where it is found
// easily.
func (s Step) line() string {
	text := s.noted()
	if !s.Evaluated {
		return text + ": not evaluated"
	}
	if len(s.Values) == 1 {
		switch value := s.Values[0]; value {
		case "true", "false":
			return fmt.Sprintf("%-5s  %s", value, text)
		case failedValue:
			return "error  " + text
		}
	}
	if len(s.Values) == 1 && !hasItem(s.Values[0]) {
		return text + " = " + s.Values[0]
	}
	last := len(s.Values) - 1
	first := strings.Join(s.Values[:last], ", ")
	if more := s.Runs - shownRuns; more > 0 {
		first += fmt.Sprintf(", … %d more …", more)
	}
	if first != "" {
		first += ", "
	}
	return text + ": " + first + s.Values[last]
}

// noted returns the part's text with its note.
func (s Step) noted() string {
	if s.Note == "" {
		return lineOf(s.Text)
	}
	return lineOf(s.Text) + ": " + s.Note
}

// hasItem reports whether a value begins with the index of an item. No list does: there is
// no space after its end.
func hasItem(value string) bool {
	end := strings.Index(value, "] ")
	return end > 0 && strings.HasPrefix(value, "[") &&
		strings.Trim(value[:end], "[]0123456789") == ""
}

// lineOf returns a text of the expression as one line.
func lineOf(text string) string {
	return cut(printable(text), shownText)
}

func cut(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}
