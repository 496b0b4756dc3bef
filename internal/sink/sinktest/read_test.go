package sinktest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

func batchOf(messages []sink.Message) []byte {
	var texts [][]byte
	for _, m := range messages {
		texts = append(texts, cloudevent.Append(nil, m))
	}
	return fmt.Appendf(nil, "[%s]", bytes.Join(texts, []byte(",")))
}

// overHTTP is a sink that sends its messages through an HTTP client and server, in a mode.
type overHTTP struct {
	memory
	mode   string
	client *http.Client
	url    string
}

func (s *overHTTP) Write(ctx context.Context, messages []sink.Message) []error {
	if len(messages) == 0 {
		return nil
	}
	if s.mode == "batch" {
		return s.send(ctx, messages, http.Header{"Content-Type": {cloudevent.BatchContentType}},
			batchOf(messages))
	}
	return sinktest.Each(ctx, messages, func(ctx context.Context, m sink.Message) error {
		header := http.Header{"Content-Type": {cloudevent.ContentType + "; charset=utf-8"}}
		body := cloudevent.Append(nil, m)
		if s.mode == "binary" {
			body = cloudevent.AppendData(nil, m)
			if header = (http.Header{}); m.HasData() {
				header.Set("Content-Type", cloudevent.DataContentType)
			}
			for name, value := range cloudevent.Attributes(m) {
				header.Set("ce-"+name, cloudevent.HeaderValue(value))
			}
		}
		return errors.Join(s.send(ctx, []sink.Message{m}, header, body)...)
	})
}

func (s *overHTTP) send(ctx context.Context, messages []sink.Message, header http.Header,
	body []byte) []error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return sink.AllFailed(len(messages), err)
	}
	request.Header = header
	answer, err := s.client.Do(request)
	if err != nil {
		return sink.AllFailed(len(messages), err)
	}
	if err := answer.Body.Close(); err != nil {
		return sink.AllFailed(len(messages), err)
	}
	return nil
}

// What is read from requests is what the messages are, in each mode: the odd ones, sent by an HTTP
// client and read from a server.
func TestHTTPTexts(t *testing.T) {
	for _, mode := range []string{"structured", "binary", "batch"} {
		t.Run(mode, func(t *testing.T) {
			target := sinktest.Target{New: func(t *testing.T, f *sink.Fence) (
				sink.Sink, sinktest.Receiver) {
				s := &overHTTP{mode: mode}
				s.memory = memory{Log: sinktest.NewLog(), stop: make(chan struct{})}
				server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter,
					r *http.Request) {
					body, err := io.ReadAll(r.Body)
					if err != nil {
						t.Error(err)
					}
					texts, err := sinktest.HTTPTexts(r.Header, body)
					if err != nil {
						t.Error(err)
					}
					for _, text := range texts {
						s.Take(nil, text)
					}
				}))
				t.Cleanup(server.Close)
				s.client, s.url = server.Client(), server.URL
				return s, s.Log
			}, Skip: map[string]string{}}
			if mode == "binary" {
				target.Text, target.Read = sinktest.BinaryText, sinktest.ReadBinary
			}
			for _, name := range []string{"no messages", "one message is refused",
				"failure for now", "broken connection", "context done before",
				"context done during a hang", "close waits for writes under way",
				"close ends by its context", "write after close",
				"close with concurrent callers", "fence"} {
				target.Skip[name] = "only reading is tested here"
			}
			sinktest.Run(t, target)
		})
	}
}

func TestHeadersThatAreWrong(t *testing.T) {
	for what, header := range map[string]http.Header{
		"twice":       {"Ce-Id": {"a", "b"}},
		"percent":     {"Ce-Id": {"%zz"}},
		"media type":  {"Content-Type": {";;"}},
		"not a batch": {"Content-Type": {cloudevent.BatchContentType}},
	} {
		if texts, err := sinktest.HTTPTexts(header, []byte("{}")); err == nil {
			t.Errorf("%s: got %q", what, texts)
		}
	}
	for _, text := range []string{"", "id: x\n\n", "specversion: \"2\"\n\n",
		"specversion: \"1.0\"\ntime: \"x\"\n\n"} {
		if e, err := sinktest.ReadBinary(text); err == nil {
			t.Errorf("%q: got %v", text, e)
		}
	}
	e, err := sinktest.ReadBinary(sinktest.BinaryText(sinktest.Message(t, "a", 1)))
	if err != nil || e.Extensions()["op"] != "update" {
		t.Errorf("got %v, %v", e, err)
	}
}
