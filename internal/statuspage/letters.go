package statuspage

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/informerd/informerd/internal/deadletter"
)

const (
	defaultLetters = 200
	maxLetters     = 1000
)

// letters is the answer to /deadletters.
type letters struct {
	Items []deadletter.Letter `json:"items"` // the oldest first
	More  bool                `json:"more"`  // there are more than the limit
	May   may                 `json:"may"`
}

// may is what the user may do with letters.
type may struct {
	Replay bool `json:"replay"`
	Drop   bool `json:"drop"`
}

func (p *Page) letters(r *http.Request, given map[string]string) (any, error) {
	limit := defaultLetters
	if text, set := given["limit"]; set {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxLetters {
			return nil, problem{http.StatusBadRequest,
				fmt.Sprintf("limit is a whole number from 1 to %d, not %q", maxLetters, text)}
		}
		limit = n
	}
	out := letters{Items: []deadletter.Letter{}}
	if p.May != nil {
		out.May = may{Replay: p.May(r, replayPath), Drop: p.May(r, dropPath)}
	}
	if p.Letters == nil {
		return out, nil
	}
	query := deadletter.Query{Listener: given["listener"], Limit: limit + 1, Heads: true}
	for l, err := range p.Letters.List(r.Context(), query) {
		switch {
		case err != nil && l.ID == "":
			return nil, err
		case err != nil:
			l.Error = err.Error()
		}
		out.Items = append(out.Items, l)
	}
	if len(out.Items) > limit {
		out.Items, out.More = out.Items[:limit], true
	}
	return out, nil
}
