package statuspage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Page is what the page asks. Set the fields; its methods may be called concurrently.
type Page struct {
	Status func() *status.Status
	// Listener returns a listener, false if there is none of that name.
	Listener func(name string) (Listener, bool)
	Letters  *deadletter.Store // nil: there are no dead letters
	// Replay is that of admin.Functions.
	Replay func(ctx context.Context, letters iter.Seq2[deadletter.Letter, error], module []byte, force bool,
		report func(admin.Outcome)) error
	// May reports whether the user of a request may post to a path.
	May func(r *http.Request, path string) bool

	history history
}

// Listener is what the page shows of one listener on demand.
type Listener struct {
	Recent        *tracing.Recorder
	Plan          func(io.Writer) error
	Configuration func() (string, error)
	Explain       func(event.Event, io.Writer) error
}

// Tick is to be called each history.Every. It notes a point of the plots.
func (p *Page) Tick() {
	p.history.add(p.Status())
}

// Paths returns what serves the page, by path, for GET.
func (p *Page) Paths() map[string]http.HandlerFunc {
	all := files()
	maps.Copy(all, map[string]http.HandlerFunc{
		"/history":     answered(p.plots, "listener"),
		"/listener":    answered(p.about, "name"),
		"/events":      answered(p.events, "listener"),
		"/explain":     answered(p.explain, "listener", "event"),
		"/deadletters": answered(p.letters, "listener", "limit"),
	})
	return all
}

// problem is an error that the client has made.
type problem struct {
	status int
	text   string
}

func (p problem) Error() string { return p.text }

// answered serves what a function returns, as JSON. Each parameter may be there once.
func answered(answer func(*http.Request, map[string]string) (any, error),
	parameters ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		given, err := parse(r, parameters)
		var value any
		if err == nil {
			value, err = answer(r, given)
		}
		status := http.StatusOK
		if err != nil {
			status = http.StatusInternalServerError
			var wrong problem
			if errors.As(err, &wrong) {
				status = wrong.status
			}
			value = map[string]string{"error": err.Error()}
		}
		body, err := json.Marshal(value)
		if err != nil {
			panic(err) // all that is answered has a JSON form
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(append(body, '\n')) // the client has gone
	}
}

func parse(r *http.Request, parameters []string) (map[string]string, error) {
	values := r.URL.Query()
	given := map[string]string{}
	for _, name := range parameters {
		if all := values[name]; len(all) > 0 {
			if len(all) > 1 {
				return nil, problem{http.StatusBadRequest, fmt.Sprintf("parameter %q is set %d times: set it once",
					name, len(all))}
			}
			given[name] = all[0]
			delete(values, name)
		}
	}
	for name := range values {
		return nil, problem{http.StatusBadRequest, fmt.Sprintf("there is no parameter %q: there are %s",
			name, strings.Join(parameters, ", "))}
	}
	return given, nil
}

func (p *Page) plots(_ *http.Request, given map[string]string) (any, error) {
	name, one := given["listener"]
	if !one {
		return p.history.ofAll(), nil
	}
	if _, err := p.listener(name); err != nil {
		return nil, err
	}
	return p.history.of(name), nil
}

func (p *Page) listener(name string) (Listener, error) {
	l, there := p.Listener(name)
	if !there {
		return l, problem{http.StatusNotFound, fmt.Sprintf("there is no listener %q", name)}
	}
	return l, nil
}

func (p *Page) about(_ *http.Request, given map[string]string) (any, error) {
	l, err := p.listener(given["name"])
	if err != nil {
		return nil, err
	}
	var plan strings.Builder
	if err := l.Plan(&plan); err != nil {
		return nil, err
	}
	configuration, err := l.Configuration()
	return map[string]string{"plan": plan.String(), "configuration": configuration}, err
}

func (p *Page) events(_ *http.Request, given map[string]string) (any, error) {
	l, err := p.listener(given["listener"])
	if err != nil {
		return nil, err
	}
	return map[string][]tracing.RecentEvent{"events": l.Recent.Look()}, nil
}

func (p *Page) explain(_ *http.Request, given map[string]string) (any, error) {
	l, err := p.listener(given["listener"])
	if err != nil {
		return nil, err
	}
	number, err := strconv.ParseUint(given["event"], 10, 64)
	if err != nil {
		return nil, problem{http.StatusBadRequest, "event is the number of an event that /events shows"}
	}
	e, outcome, kept := l.Recent.Event(number)
	if !kept {
		return nil, problem{http.StatusNotFound, "this event is not kept any more: only the last ones are"}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "What became of it: %s. Below it is judged again, by what is known now.\n\n",
		outcome)
	err = l.Explain(e, &text)
	return map[string]string{"text": text.String()}, err
}
