package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/internal/wording"
)

// wordHint returns the hint for an unknown word.
func wordHint(word string, known []string, all string) string {
	if near, ok := nearest.Name(word, known); ok {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return all + strings.Join(known, ", ")
}

// dash returns a text, printable, for a column of a table, which is not empty.
func dash(text string) string {
	if text == "" {
		return "-"
	}
	return wording.Printable(text)
}

// writeJSON writes a value in one line, or in several lines with an indent.
func writeJSON(w io.Writer, value any, indent string) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	return encoder.Encode(value)
}

func writeLine(w io.Writer, value any) error { return writeJSON(w, value, "") }

// colored reports whether what is written is for a terminal that may be coloured:
// https://no-color.org
func colored(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
