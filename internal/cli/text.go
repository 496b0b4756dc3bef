package cli

import (
	"cmp"
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
	return cmp.Or(wording.Printable(text), "-")
}

// colored reports whether what is written is for a terminal that may be coloured:
// https://no-color.org
func colored(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// forTerminal returns where lines of JSON go, without what a terminal obeys if that is one. Others get
// them as they are, as looking at each byte costs a fifth of an event (bench/matched).
func forTerminal(w io.Writer) io.Writer {
	if isTerminal(w) {
		return terminal{w}
	}
	return w
}

type terminal struct{ io.Writer }

// Write implements io.Writer. After an error, none of the text counts as written.
func (t terminal) Write(text []byte) (int, error) {
	if _, err := t.Writer.Write(wording.JSON(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}
