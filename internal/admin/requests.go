package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/status"
)

// lineTimeout is how long a client may leave a line of a stream unread, as one does that shows it
// page by page.
const lineTimeout = 10 * time.Minute

const (
	reloadPath     = "/v1/reload"
	drainPath      = "/v1/drain"
	checkpointPath = "/v1/checkpoint"
	statusPath     = "/v1/status"
	listPath       = "/v1/deadletters/list"
	dropPath       = "/v1/deadletters/drop"
	replayPath     = "/v1/deadletters/replay"
	memoryPath     = "/v1/memory"
)

func (s *server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+reloadPath, s.reload)
	mux.HandleFunc("POST "+drainPath, s.drain)
	mux.HandleFunc("POST "+checkpointPath, s.checkpoint)
	mux.HandleFunc("POST "+statusPath, s.status)
	mux.HandleFunc("POST "+listPath, s.list)
	mux.HandleFunc("POST "+dropPath, s.drop)
	mux.HandleFunc("POST "+replayPath, s.replay)
	mux.HandleFunc("POST "+memoryPath, s.memory)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound,
			fmt.Errorf("there is no %s %s: this informerd and the command are of different versions", r.Method, r.URL.Path))
	})
	return mux
}

// answer is the body of an answer that is not a stream.
type answer struct {
	Error    string        `json:"error,omitempty"`
	Mistakes config.Errors `json:"mistakes,omitempty"`
	Changes  Changes       `json:"changes,omitempty"`
	Letters  int           `json:"letters,omitempty"`

	Checkpoint *Checkpoint    `json:"checkpoint,omitempty"` // nil if there is none
	Status     *status.Status `json:"status,omitempty"`
	Object     *Memory        `json:"object,omitempty"`
}

func fail(w http.ResponseWriter, status int, err error) {
	a := answer{Error: err.Error()}
	if errors.As(err, &a.Mistakes) {
		status = http.StatusUnprocessableEntity
	}
	a.write(w, status)
}

func (a *answer) write(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(a) // the client is gone
}

func (s *server) reload(w http.ResponseWriter, r *http.Request) {
	if s.Reload == nil {
		fail(w, http.StatusNotImplemented, errNotAvailable)
		return
	}
	s.reloading.Lock()
	defer s.reloading.Unlock()
	changes, err := s.Reload(s.serving)
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	(&answer{Changes: changes}).write(w, http.StatusOK)
}

func (s *server) drain(w http.ResponseWriter, r *http.Request) {
	if s.Drain == nil {
		fail(w, http.StatusNotImplemented,
			errors.New("this informerd has no shards to hand over: a signal that stops it hands over all it has"))
		return
	}
	if err := s.Drain(r.Context()); err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	(&answer{}).write(w, http.StatusOK)
}

func (s *server) checkpoint(w http.ResponseWriter, _ *http.Request) {
	a := answer{}
	if s.Checkpoint != nil {
		stats := s.Checkpoint()
		a.Checkpoint = &Checkpoint{Current: stats.Current}
		if stats.Failed != nil {
			a.Checkpoint.Failed = stats.Failed.Error()
		}
	}
	a.write(w, http.StatusOK)
}

func (s *server) status(w http.ResponseWriter, _ *http.Request) {
	if s.Status == nil {
		fail(w, http.StatusNotImplemented, errNotAvailable)
		return
	}
	(&answer{Status: s.Status()}).write(w, http.StatusOK)
}

func (s *server) memory(w http.ResponseWriter, r *http.Request) {
	var of ObjectOf
	switch _, err := readHead(r, &of); {
	case err != nil:
		fail(w, http.StatusBadRequest, fmt.Errorf("the request cannot be read: %w", err))
	case s.Remembers == nil:
		fail(w, http.StatusNotImplemented, errNotAvailable)
	default:
		(&answer{Object: new(s.Remembers(of))}).write(w, http.StatusOK)
	}
}

// readHead reads the JSON with which a request begins.
func readHead(r *http.Request, into any) (*json.Decoder, error) {
	d := json.NewDecoder(io.LimitReader(r.Body, maxSelection))
	d.DisallowUnknownFields()
	return d, d.Decode(into)
}

// selection reads the JSON with which a request begins, and returns what is behind it.
func (s *server) selection(w http.ResponseWriter, r *http.Request) (sel Selection, rest io.Reader,
	ok bool) {
	if s.Letters == nil {
		fail(w, http.StatusNotImplemented, errNotAvailable)
		return sel, nil, false
	}
	d, err := readHead(r, &sel)
	if err != nil {
		fail(w, http.StatusBadRequest, fmt.Errorf("the request cannot be read: %w", err))
		return sel, nil, false
	}
	rest = io.MultiReader(d.Buffered(), r.Body)
	if _, err := io.ReadFull(rest, make([]byte, 1)); err != nil && err != io.EOF {
		fail(w, http.StatusBadRequest, fmt.Errorf("the request cannot be read: %w", err))
		return sel, nil, false
	}
	return sel, rest, true
}

func (s *server) list(w http.ResponseWriter, r *http.Request) {
	sel, _, ok := s.selection(w, r)
	if !ok {
		return
	}
	out := newStream(w)
	for letter, err := range s.letters.List(r.Context(), sel) {
		var one *LetterError
		switch {
		case errors.As(err, &one):
			out.send(line{Wrong: one})
		case err != nil:
			out.end(err)
			return
		default:
			out.send(line{Letter: &letter})
		}
		if out.failed() {
			return
		}
	}
	out.end(nil)
}

func (s *server) drop(w http.ResponseWriter, r *http.Request) {
	sel, _, ok := s.selection(w, r)
	if !ok {
		return
	}
	n, err := s.letters.Drop(r.Context(), sel)
	a := answer{Letters: n}
	if err != nil {
		a.Error = err.Error()
	}
	a.write(w, http.StatusOK)
}

func (s *server) replay(w http.ResponseWriter, r *http.Request) {
	sel, rest, ok := s.selection(w, r)
	if !ok {
		return
	}
	var module bytes.Buffer
	switch n, err := io.Copy(&module, io.LimitReader(rest, maxModule+1)); {
	case err != nil:
		fail(w, http.StatusBadRequest, fmt.Errorf("the module cannot be read: %w", err))
		return
	case n > maxModule:
		fail(w, http.StatusRequestEntityTooLarge,
			fmt.Errorf("the module has more than %d MiB", maxModule>>20))
		return
	case s.Replay == nil:
		fail(w, http.StatusNotImplemented, errNotAvailable)
		return
	case !s.replaying.TryLock():
		fail(w, http.StatusConflict, errors.New("another replay is under way: wait for its end"))
		return
	}
	out := newStream(w)
	out.end(s.replayTo(r.Context(), out, sel, module.Bytes()))
}

// replayTo replays the selected letters, and sends what became of each. It ends the turn of this
// replay, so that there may be another one when the client knows of the end.
func (s *server) replayTo(ctx context.Context, out *stream, sel Selection, module []byte) error {
	defer s.replaying.Unlock()
	ids, wrong, err := s.letters.selected(ctx, sel)
	if err != nil {
		return err
	}
	for _, err := range wrong {
		var one *LetterError
		errors.As(err, &one)
		out.send(line{Wrong: one})
	}
	return s.Replay(ctx, s.Letters.List(ctx, deadletter.Query{IDs: ids}), module, sel.Force,
		func(o Outcome) { out.send(line{Outcome: &o}) })
}

// stream writes lines of JSON, each at once. It may be used concurrently.
type stream struct {
	mu      sync.Mutex // guards what follows
	encoder *json.Encoder
	control *http.ResponseController
	err     error
}

func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "application/jsonl")
	s := &stream{encoder: json.NewEncoder(w), control: http.NewResponseController(w)}
	s.encoder.SetEscapeHTML(false)
	s.err = s.control.Flush() // the client knows now that there is an answer
	return s
}

// send writes a line, unless one before has failed.
func (s *stream) send(l line) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.err = s.control.SetWriteDeadline(time.Now().Add(lineTimeout))
	if s.err == nil {
		s.err = s.encoder.Encode(&l)
	}
	if s.err == nil && l.Letter == nil { // these come fast, and fill the buffer
		s.err = s.control.Flush()
	}
}

func (s *stream) failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// end writes the last line.
func (s *stream) end(err error) {
	l := line{End: true}
	if err != nil {
		l.Error = err.Error()
		errors.As(err, &l.Mistakes)
	}
	s.send(l)
}
