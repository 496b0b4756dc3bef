package httpsink

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/wording"
)

const (
	maxBody   = 64 << 10    // of an answer, that is read
	bodyTime  = time.Second // that it may take after the head
	maxQuoted = 200         // of what a receiver wrote, in bytes
	maxError  = 400
)

// Answer is what a receiver answered.
type Answer struct {
	Status int
	Body   []byte // at most 64 KiB of it, as it was sent
}

// statusError is an answer that does not mean taken. It is wrapped in errors of Post.
type statusError struct {
	Status int
	text   string
}

func (e *statusError) Error() string { return e.text }

// statusOf returns the status that the receiver refused a request with, 0 if there was no answer.
func statusOf(err error) int {
	var refused *statusError
	if errors.As(err, &refused) {
		return refused.Status
	}
	return 0
}

// judge returns nil if the answer means taken.
func (a Answer) judge(header http.Header, hidden []string) error {
	if a.Status/100 == 2 {
		return a.judgeBody(hidden)
	}
	refused := &statusError{a.Status, describe(a, header, hidden)}
	switch {
	case a.Status < 200, a.Status >= 500, a.Status == http.StatusRequestTimeout,
		a.Status == http.StatusTooEarly, a.Status == http.StatusTooManyRequests:
		delay := backoff.ParseRetryAfter(header.Get("Retry-After"), time.Now())
		if delay > 0 {
			return sink.RetryAfter(refused, delay)
		}
		return refused
	}
	return sink.Permanent(refused)
}

// describe returns the text of an error for an answer.
func describe(a Answer, header http.Header, hidden []string) string {
	text := strings.TrimSpace(fmt.Sprintf("the receiver answered %d %s", a.Status,
		http.StatusText(a.Status)))
	if a.Status/100 == 3 {
		text += ", and redirects are not followed: configure the URL that it leads to"
	}
	if header.Get("Content-Encoding") != "" || !utf8.Valid(a.Body) {
		return text
	}
	said := strings.TrimSpace(redact(string(a.Body), hidden))
	if said == "" {
		return text
	}
	return fmt.Sprintf("%s: %q", text, wording.Cut(said, maxQuoted))
}

// trouble is an error of a request without an answer, with a text that can be shown.
type trouble struct {
	text  string
	cause error
}

func (t *trouble) Error() string { return t.text }
func (t *trouble) Unwrap() error { return t.cause }

// shortened bounds the text of an error, in which there may be what a receiver wrote.
func shortened(text string) string {
	return wording.Cut(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text), maxError)
}

// minHidden is the length from which on a text may be a secret. Shorter ones, such as "/", occur
// everywhere.
const minHidden = 4

// redact replaces configured values in a text, and their last words, such as the token of a bearer.
func redact(text string, hidden []string) string {
	for _, h := range hidden {
		if len(h) >= minHidden {
			text = strings.ReplaceAll(text, h, "[redacted]")
		}
		if last := h[strings.LastIndexByte(h, ' ')+1:]; len(last) >= minHidden && last != h {
			text = strings.ReplaceAll(text, last, "[redacted]")
		}
	}
	return text
}
