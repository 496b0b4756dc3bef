package starter

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrNoAnswer is the end of a dialogue before its last question.
var ErrNoAnswer = errors.New("the questions were not answered")

// maxAnswer bounds a line, in case what answers is not a person.
const maxAnswer = 64 << 10

// Ask fills in wishes by asking for them. What is in the wishes already is not asked for. An answer
// that is wrong, or after which check finds the wishes wrong, is asked for again; the end of the
// input is ErrNoAnswer.
func Ask(in io.Reader, out io.Writer, w *Wishes, check func() error) error {
	d := dialogue{in: bufio.NewScanner(in), out: out, check: check}
	d.in.Buffer(nil, maxAnswer)
	fmt.Fprintln(out, "Enter takes what is in brackets; ctrl-c ends, and nothing is written.")
	if len(w.Resources) == 0 && len(w.Policies) == 0 {
		d.ask("Which resources? Such as pods, deployments, jobs, nodes, events or"+
			" certificates.cert-manager.io", strings.Join(DefaultResources, ","),
			func(answer string) error {
				w.Resources = words(answer)
				return nil
			})
	}
	if len(w.About) == 0 {
		d.ask("What about? "+strings.Join(Subjects, ", ")+" or both", Problems,
			func(answer string) error {
				w.About = words(answer)
				if strings.EqualFold(answer, "both") {
					w.About = Subjects
				}
				return nil
			})
	}
	if len(w.Alerts) == 0 {
		d.ask("Where to? "+strings.Join(Kinds(), ", "), kindStdout, func(answer string) error {
			w.Alerts = nil
			for _, word := range words(answer) {
				a, err := ParseAlert(word)
				if err != nil {
					return err
				}
				w.Alerts = append(w.Alerts, a)
			}
			return nil
		})
	}
	for i := range w.Alerts {
		d.askAddress(&w.Alerts[i])
	}
	if len(w.Namespaces) == 0 {
		d.ask("Which namespaces?", "all", func(answer string) error {
			if w.Namespaces = words(answer); strings.EqualFold(answer, "all") {
				w.Namespaces = nil
			}
			return nil
		})
	}
	return d.err
}

// askAddress asks for the address of an output that has one.
func (d *dialogue) askAddress(a *Alert) {
	k, _ := kindOf(a.Kind)
	if k.asked == "" || a.Address != "" {
		return
	}
	d.ask(k.name+": "+k.asked, k.address, func(answer string) error {
		parsed, err := ParseAlert(k.name + "=" + answer)
		*a = parsed
		return err
	})
}

// words returns the words of an answer, between which are commas or spaces.
func words(answer string) []string {
	return strings.FieldsFunc(answer, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}

// dialogue asks questions until one gets no answer.
type dialogue struct {
	in    *bufio.Scanner
	out   io.Writer
	check func() error
	err   error
}

// ask asks until take accepts the answer.
func (d *dialogue) ask(question, otherwise string, take func(answer string) error) {
	for d.err == nil {
		fmt.Fprintf(d.out, "%s [%s]: ", question, otherwise)
		if !d.in.Scan() {
			fmt.Fprintln(d.out)
			d.err = ErrNoAnswer
			return
		}
		answer := strings.TrimSpace(d.in.Text())
		if answer == "" {
			answer = otherwise
		}
		err := take(answer)
		if err == nil {
			err = d.check()
		}
		if err == nil {
			return
		}
		// The flags in messages are those of the command; here nobody has used one.
		_, message, _ := strings.Cut(err.Error(), ": ")
		fmt.Fprintf(d.out, "  %s\n", message)
	}
}
