package statuspage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/deadletter"
)

const (
	replayPath = "/deadletters/replay"
	dropPath   = "/deadletters/drop"
)

// replayTime is how long a replay may take, which is less than a client has for its answer. Letters
// whose turn has not come by then stay.
const replayTime = 45 * time.Second

// replayed is what became of letters.
type replayed struct {
	Outcomes []admin.Outcome `json:"outcomes"`
	// Left is how many letters were not replayed, since they are gone or time was short.
	Left  int    `json:"left"`
	Error string `json:"error,omitempty"` // of the replay as a whole
}

// Actions returns what changes something, by path, for POST. Whether a user may do that, whoever
// serves it has found out.
func (p *Page) Actions() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{replayPath: answered(p.replay), dropPath: answered(p.drop)}
}

// chosen returns the letters that a request is about.
func (p *Page) chosen(r *http.Request) ([]string, error) {
	var body struct {
		IDs []string `json:"ids"`
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(&body)
	if err == nil && d.More() {
		err = errors.New("there is more behind it")
	}
	switch n := len(body.IDs); {
	case err != nil:
		return nil, problem{http.StatusBadRequest, fmt.Sprintf("the request cannot be read: %v", err)}
	case n == 0 || n > maxLetters:
		return nil, problem{http.StatusBadRequest,
			fmt.Sprintf("ids are those of 1 to %d letters, not of %d", maxLetters, n)}
	case p.Letters == nil:
		return nil, problem{http.StatusNotFound, "there are no dead letters"}
	}
	return body.IDs, nil
}

func (p *Page) replay(r *http.Request, _ map[string]string) (any, error) {
	ids, err := p.chosen(r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), replayTime)
	defer cancel()
	outcomes := make(chan admin.Outcome, len(ids)) // report may be called concurrently
	err = p.Replay(ctx, p.Letters.List(ctx, deadletter.Query{IDs: ids}), nil, false,
		func(o admin.Outcome) { outcomes <- o })
	close(outcomes)
	out := replayed{Outcomes: []admin.Outcome{}}
	for o := range outcomes {
		out.Outcomes = append(out.Outcomes, o)
	}
	if out.Left = len(ids) - len(out.Outcomes); err != nil && !errors.Is(err, ctx.Err()) {
		out.Error = err.Error()
	}
	return out, nil
}

func (p *Page) drop(r *http.Request, _ map[string]string) (any, error) {
	ids, err := p.chosen(r)
	if err != nil {
		return nil, err
	}
	n, err := p.Letters.Delete(ids...)
	return map[string]int{"dropped": n}, err
}
