package admin

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net"
	"net/http"
	"path/filepath"
	"syscall"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/status"
)

// ErrNotRunning is returned by Dial without a daemon.
var ErrNotRunning = errors.New("no informerd runs with this configuration")

const (
	dialTimeout = 5 * time.Second
	// answerTimeout is how long the beginning of a stream may take, with a module on its way.
	answerTimeout = time.Minute
)

var errLate = fmt.Errorf("nothing came within %v", answerTimeout)

// Client sends commands to a daemon.
type Client struct {
	web  *http.Client
	path string
}

// Dial connects to the daemon whose folder for state it is. The error is ErrNotRunning if there is
// none.
func Dial(ctx context.Context, dir string) (*Client, error) {
	c := &Client{path: filepath.Join(dir, socketName)}
	c.web = &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return c.dial(ctx)
		},
	}}
	conn, err := c.dial(ctx)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, fmt.Errorf("%w: nothing answers at %s", ErrNotRunning, c.path)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf(
			"the running informerd cannot be reached: %w: run the command as the user to whom %s belongs",
			err, dir)
	case err != nil:
		return nil, fmt.Errorf("the running informerd cannot be reached: %w", err)
	}
	return c, conn.Close()
}

func (c *Client) dial(ctx context.Context) (conn net.Conn, err error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	err = withShortPath(c.path, func(path string) error {
		conn, err = (&net.Dialer{}).DialContext(ctx, "unix", path)
		return err
	})
	return conn, err
}

// Close closes idle connections.
func (c *Client) Close() { c.web.CloseIdleConnections() }

// Reload makes the daemon read its configuration again. Mistakes in it are a config.Errors.
func (c *Client) Reload(ctx context.Context) (Changes, error) {
	a, err := c.ask(ctx, reloadPath, struct{}{})
	return a.Changes, err
}

// Drain has the daemon hand over its shards, and waits until it has none.
func (c *Client) Drain(ctx context.Context) error {
	_, err := c.ask(ctx, drainPath, struct{}{})
	return err
}

// Checkpoint returns how the daemon's checkpoint is, nil if it has none.
func (c *Client) Checkpoint(ctx context.Context) (*Checkpoint, error) {
	a, err := c.ask(ctx, checkpointPath, struct{}{})
	return a.Checkpoint, err
}

// Status returns the daemon's pipeline as it is.
func (c *Client) Status(ctx context.Context) (*status.Status, error) {
	a, err := c.ask(ctx, statusPath, struct{}{})
	if err == nil && a.Status == nil {
		err = errNotAvailable
	}
	return a.Status, err
}

// Remembers returns what a listener of the daemon knows of an object.
func (c *Client) Remembers(ctx context.Context, o ObjectOf) (*Memory, error) {
	a, err := c.ask(ctx, memoryPath, o)
	if err == nil && a.Object == nil {
		err = errNotAvailable
	}
	return a.Object, err
}

// Drop implements DeadLetters.
func (c *Client) Drop(ctx context.Context, s Selection) (int, error) {
	a, err := c.ask(ctx, dropPath, s)
	return a.Letters, err
}

// List implements DeadLetters.
func (c *Client) List(ctx context.Context, s Selection) iter.Seq2[deadletter.Letter, error] {
	return func(yield func(deadletter.Letter, error) bool) {
		err := c.stream(ctx, listPath, s, nil, func(l *line) bool {
			switch {
			case l.Wrong != nil:
				return yield(deadletter.Letter{ID: l.Wrong.ID}, l.Wrong)
			case l.Letter != nil:
				return yield(*l.Letter, nil)
			}
			return true
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(deadletter.Letter{}, err)
		}
	}
}

// Replay implements DeadLetters.
func (c *Client) Replay(ctx context.Context, s Selection, module []byte,
	report func(Outcome)) error {
	var wrong []error
	err := c.stream(ctx, replayPath, s, module, func(l *line) bool {
		switch {
		case l.Wrong != nil:
			wrong = append(wrong, l.Wrong)
		case l.Outcome != nil:
			report(*l.Outcome)
		}
		return true
	})
	if err != nil {
		return err
	}
	return errors.Join(wrong...)
}

// line is one of an answer that is streamed. The last one has End.
type line struct {
	Letter   *deadletter.Letter `json:"letter,omitempty"`
	Wrong    *LetterError       `json:"wrong,omitempty"`
	Outcome  *Outcome           `json:"outcome,omitempty"`
	End      bool               `json:"end,omitempty"`
	Error    string             `json:"error,omitempty"`
	Mistakes config.Errors      `json:"mistakes,omitempty"`
}

var errEnough = errors.New("enough")

// stream sends a request, and calls each for the lines of the answer until that returns false.
func (c *Client) stream(ctx context.Context, path string, request any, module []byte,
	each func(*line) bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(answerTimeout, func() { cancel(errLate) })
	answered, err := c.post(ctx, path, request, module)
	if err != nil {
		return err
	}
	late.Stop()
	defer answered.Body.Close()
	if answered.StatusCode != http.StatusOK {
		return decodeAnswer(answered.Body).err()
	}
	d := json.NewDecoder(answered.Body)
	for {
		var l line
		if err := d.Decode(&l); err != nil {
			return cutOff(context.Cause(ctx), err)
		}
		if l.End {
			return (&answer{Error: l.Error, Mistakes: l.Mistakes}).err()
		}
		if !each(&l) {
			return errEnough
		}
	}
}

// cutOff returns the error of an answer without an end. The cause is that of the command's context.
func cutOff(cause, err error) error {
	if cause != nil {
		return fmt.Errorf("the answer was cut off: %w", cause)
	}
	return fmt.Errorf("the answer was cut off (%w), as when informerd ends: give the command again for the rest",
		err)
}

func (c *Client) ask(ctx context.Context, path string, request any) (answer, error) {
	answered, err := c.post(ctx, path, request, nil)
	if err != nil {
		return answer{}, err
	}
	defer answered.Body.Close()
	a := decodeAnswer(answered.Body)
	return *a, a.err()
}

func (c *Client) post(ctx context.Context, path string, request any,
	module []byte) (*http.Response, error) {
	head, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	body := io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(module))
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://informerd"+path, body)
	if err != nil {
		return nil, err
	}
	answered, err := c.web.Do(r)
	if err != nil {
		return nil, fmt.Errorf("the running informerd does not answer: %w",
			cmp.Or(context.Cause(ctx), errors.Unwrap(err)))
	}
	return answered, nil
}

func decodeAnswer(body io.Reader) *answer {
	a := &answer{}
	if err := json.NewDecoder(body).Decode(a); err != nil {
		a.Error = fmt.Sprintf("the answer of the running informerd cannot be read: %v", err)
	}
	return a
}

func (a *answer) err() error {
	switch {
	case len(a.Mistakes) > 0:
		return a.Mistakes
	case a.Error != "":
		return errors.New(a.Error)
	}
	return nil
}
