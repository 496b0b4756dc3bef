package manual

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// Whatever looks like roff in the texts of a command is text, for man(7) and for those who read it.
func TestNothingIsMarkup(t *testing.T) {
	texts := []string{".TH dots", "..", "'br", `\fBbold \n(.x \" rest`, `"quoted" 'text' -- a-b_c*`,
		"~/.x ^ `sh`", "ü → 日本"}
	cmd := &cobra.Command{Use: "odd", Short: ".SH " + texts[3], Run: func(*cobra.Command, []string) {},
		Long:    strings.Join(texts, "\n\n") + "\n\n  " + strings.Join(texts, "\n  "),
		Example: "  " + strings.Join(texts, "\n  ")}
	cmd.Flags().String("flag", texts[0], texts[2])
	page := Man(cmd)
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") &&
			!strings.Contains(" TH SH TP PP RS RE nf fi ", " "+strings.Fields(line[1:] + " x")[0]+" ") ||
			strings.Contains(line, "dots") && !strings.Contains(line, `\&.`) &&
				!strings.Contains(line, "default .TH") {
			t.Errorf("%q is a request", line)
		}
	}
	if page != Man(cmd) {
		t.Error("the page differs the second time")
	}
	shown := exec.Command("mandoc", "-T", "utf8", "-O", "width=200")
	shown.Stdin = strings.NewReader(page)
	out, err := shown.Output()
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("mandoc is not installed, so nobody reads the page")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if n := strings.Count(string(out), text); n < 3 {
			t.Errorf("%q is shown %d times\n%s", text, n, out)
		}
	}
}
