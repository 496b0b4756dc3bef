package webhook

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

func TestModes(t *testing.T) {
	messages := pods(t, "a", "b")
	messages[1].Body, messages[1].Data = sink.BodyData, "" // without data
	for _, test := range []struct {
		mode     Mode
		requests int
		types    []string
		text     func(sink.Message) string
	}{
		{Structured, 2, []string{cloudevent.ContentType, cloudevent.ContentType}, structured},
		{Binary, 2, []string{cloudevent.DataContentType, ""}, sinktest.BinaryText},
		{Batch, 1, []string{cloudevent.BatchContentType}, structured},
	} {
		to := serve(t, nil)
		s := open(t, to.url, Config{Mode: test.mode})
		if errs := s.Write(t.Context(), messages); errs != nil {
			t.Fatal(errs)
		}
		var types, texts []string
		for _, r := range to.got() {
			types = append(types, r.header.Get("Content-Type"))
			texts = append(texts, r.texts...)
		}
		want := []string{test.text(messages[0]), test.text(messages[1])}
		for _, list := range [][]string{types, texts, want, test.types} {
			slices.Sort(list)
		}
		if len(to.got()) != test.requests || !slices.Equal(types, test.types) ||
			!slices.Equal(texts, want) {
			t.Errorf("mode %d: %q\ngot  %q\nwant %q", test.mode, types, texts, want)
		}
	}
}

// A request of one message has the header of its trace, too; one of several would need several.
func TestTheTraceGoesOn(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for mode, want := range map[Mode]string{Structured: parent, Binary: parent, Batch: ""} {
		to := serve(t, nil)
		s := open(t, to.url, Config{Mode: mode})
		messages := pods(t, "a")
		messages[0].TraceParent = parent
		if errs := s.Write(t.Context(), messages); errs != nil {
			t.Fatal(errs)
		}
		r := to.got()[0]
		if got := r.header.Get("traceparent"); got != want {
			t.Errorf("mode %d: the header is %q", mode, got)
		}
		if !strings.Contains(r.texts[0], parent) {
			t.Errorf("mode %d: %s", mode, r.texts[0])
		}
	}
}

func structured(m sink.Message) string { return string(cloudevent.Append(nil, m)) }

func TestPace(t *testing.T) {
	to := serve(t, nil)
	for _, test := range []struct {
		config Config
		want   sink.Pace
	}{
		{Config{}, sink.Pace{Batch: single, Writes: writes}},
		{Config{Mode: Binary, Events: 9, Wait: 9}, sink.Pace{Batch: single, Writes: writes}},
		{Config{Mode: Batch}, sink.Pace{Batch: DefaultBatch, Writes: writes}},
		{Config{Mode: Batch, Events: 9, Wait: 8},
			sink.Pace{Batch: 9, Writes: writes, Wait: 8}},
	} {
		if got := open(t, to.url, test.config).Pace(); got != test.want {
			t.Errorf("got %+v, want %+v", got, test.want)
		}
	}
}

// Each message has its own result.
func TestOneOfManyIsRefused(t *testing.T) {
	to := serve(t, func(r request) int {
		switch {
		case strings.Contains(r.texts[0], `"b"`):
			return 422
		case strings.Contains(r.texts[0], `"c"`):
			return 503
		}
		return 0
	})
	s := open(t, to.url, Config{})
	errs := s.Write(t.Context(), pods(t, "a", "b", "c", "d"))
	if len(errs) != 4 || errs[0] != nil || !sink.IsPermanent(errs[1]) || errs[2] == nil ||
		sink.IsPermanent(errs[2]) || errs[3] != nil {
		t.Errorf("got %v", errs)
	}
}

func names(n int) (names []string) {
	for i := range n {
		names = append(names, fmt.Sprintf("pod-%03d.", i))
	}
	return names
}

// delivered are the names of the pods in requests that were taken.
func delivered(to *server, refuse func(request) int) (taken map[string]int) {
	taken = map[string]int{}
	for _, r := range to.got() {
		if refuse(r) != 0 {
			continue
		}
		for _, text := range r.texts {
			_, rest, _ := strings.Cut(text, `"name":"`)
			name, _, _ := strings.Cut(rest, `"`)
			taken[name]++
		}
	}
	return taken
}

// One bad message costs the others nothing, and few requests.
func TestBadMessagesInABatch(t *testing.T) {
	for _, bad := range [][]int{{0}, {99}, {50}, {1, 2, 3}, {0, 33, 66, 99}} {
		refuse := func(r request) int {
			for _, text := range r.texts {
				for _, b := range bad {
					if strings.Contains(text, fmt.Sprintf("pod-%03d.", b)) {
						return 403 // as firewalls answer
					}
				}
			}
			return 0
		}
		to := serve(t, refuse)
		s := open(t, to.url, Config{Mode: Batch})
		errs := s.Write(t.Context(), pods(t, names(100)...))
		want := map[string]int{}
		for i, name := range names(100) {
			isBad := slices.Contains(bad, i)
			if isBad != sink.IsPermanent(errs[i]) || isBad != (errs[i] != nil) {
				t.Errorf("bad %v: message %d: %v", bad, i, errs[i])
			}
			if !isBad {
				want[name] = 1
			}
		}
		if got := delivered(to, refuse); !reflect.DeepEqual(got, want) {
			t.Errorf("bad %v: delivered %v", bad, got)
		}
		if n := len(to.got()); n > 20*len(bad)+10 {
			t.Errorf("bad %v: %d requests", bad, n)
		}
		if errs := s.Write(t.Context(), pods(t, "x", "y")); errs != nil {
			t.Error(errs)
		}
	}
}

// A receiver that takes less at a time gets less, and is asked for more again.
func TestTooLargeBatch(t *testing.T) {
	most := 30
	refuse := func(r request) int {
		if len(r.texts) > most {
			return 413
		}
		return 0
	}
	to := serve(t, refuse)
	s := open(t, to.url, Config{Mode: Batch})
	if errs := s.Write(t.Context(), pods(t, names(100)...)); errs != nil {
		t.Error(errs)
	}
	if got := delivered(to, refuse); len(got) != 100 {
		t.Errorf("delivered %v", got)
	}
	most = 100
	before := len(to.got())
	for range 3 {
		if errs := s.Write(t.Context(), pods(t, names(100)...)); errs != nil {
			t.Error(errs)
		}
	}
	after := to.got()[before:]
	if last := after[len(after)-1]; len(last.texts) != 100 {
		t.Errorf("the last batch has %d messages", len(last.texts))
	}
	most = 0
	errs := s.Write(t.Context(), pods(t, "a"))
	if len(errs) != 1 || !sink.IsPermanent(errs[0]) {
		t.Errorf("one that is too large by itself: %v", errs)
	}
}

// Some answers are about all messages.
func TestRefusalsOfTheWhole(t *testing.T) {
	for _, status := range []int{302, 401, 404, 405, 410} {
		to := serve(t, func(request) int { return status })
		errs := open(t, to.url, Config{Mode: Batch}).Write(t.Context(), pods(t, names(10)...))
		if len(errs) != 10 || !sink.IsPermanent(errs[0]) || !sink.IsPermanent(errs[9]) ||
			len(to.got()) != 1 {
			t.Errorf("%d: %d requests, %v", status, len(to.got()), errs)
		}
	}
	to := serve(t, func(request) int { return 503 })
	errs := open(t, to.url, Config{Mode: Batch}).Write(t.Context(), pods(t, names(10)...))
	if len(errs) != 10 || errs[9] == nil || sink.IsPermanent(errs[9]) || len(to.got()) != 1 {
		t.Errorf("503: %d requests, %v", len(to.got()), errs)
	}
}

// A batch has 4 MiB at most, and a message that is larger is sent alone.
func TestLargeMessages(t *testing.T) {
	large := strings.Repeat("x", 1<<20)
	messages := pods(t, names(6)...)
	for i := range messages {
		messages[i].Body, messages[i].Data = sink.BodyData, `"`+large+`"`
	}
	messages[4].Data = `"` + strings.Repeat(large, 6) + `"`
	to := serve(t, nil)
	s := open(t, to.url, Config{Mode: Batch})
	if errs := s.Write(t.Context(), messages); errs != nil {
		t.Fatal(errs)
	}
	var lengths []int
	for _, r := range to.got() {
		lengths = append(lengths, len(r.texts))
		if len(r.texts) > 1 && len(r.body) > maxBatchBytes {
			t.Errorf("%d messages in %d bytes", len(r.texts), len(r.body))
		}
	}
	if want := []int{3, 1, 1, 1}; !slices.Equal(lengths, want) {
		t.Errorf("batches of %v, want %v", lengths, want)
	}
}

// The timeout is for a Write, not for each of its requests. What was found out is not lost.
func TestTimeoutOfABatch(t *testing.T) {
	const timeout = 300 * time.Millisecond
	hang := make(chan struct{})
	to := serve(t, func(r request) int {
		switch {
		case len(r.texts) > 2:
			return 413
		case strings.Contains(r.texts[0], "pod-004."):
			<-hang
		}
		return 0
	})
	s := open(t, to.url, Config{Mode: Batch, Timeout: timeout, Events: 8})
	errs := s.Write(t.Context(), pods(t, names(8)...))
	close(hang)
	if len(errs) != 8 || errs[3] != nil || errs[4] == nil || errs[7] == nil ||
		sink.IsPermanent(errs[4]) {
		t.Errorf("got %v", errs)
	}
	before := len(to.got())
	if errs := s.Write(t.Context(), pods(t, names(8)[4:]...)); errs != nil {
		t.Errorf("afterwards: %v", errs)
	}
	if first := to.got()[before]; len(first.texts) > 4 {
		t.Errorf("the next batch has %d messages", len(first.texts))
	}
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	url := secret.Literal("http://127.0.0.1:1/")
	header := func(name string) map[string]secret.Value {
		return map[string]secret.Value{name: secret.Literal("hunter2")}
	}
	key := secret.Literal("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	for _, test := range []struct {
		config Config
		want   string
	}{
		{Config{}, "url (nothing): it must begin with https:// or http://"},
		{Config{URL: url, Headers: header("content-type")},
			`header "content-type": informerd sets it`},
		{Config{URL: url, Headers: header("Ce-Id")}, `header "Ce-Id": informerd sets it`},
		{Config{URL: url, Headers: header("Webhook-Id")}, `header "Webhook-Id": informerd sets it`},
		{Config{URL: url, Headers: header("TraceParent")}, "informerd sets it"},
		{Config{URL: url, Sign: Sign{Previous: key}}, "sign.previous without sign.secret"},
		{Config{URL: url, Sign: Sign{Secret: secret.Literal("hunter2!")}},
			"sign.secret (a text): it must be base64"},
		{Config{URL: url, Sign: Sign{Secret: key, Previous: secret.Literal("hunter22")}},
			"sign.previous (a text): it has 6 bytes"},
		{Config{URL: url, Sign: Sign{Secret: secret.FromFile("/no/such")}},
			"sign.secret: the file /no/such cannot be read"},
	} {
		_, err := New(test.config)
		if err == nil || !strings.Contains(err.Error(), test.want) ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
	if isOwn("Webhook-Token") || isOwn("Cet") {
		t.Error("other headers are refused")
	}
	if _, err := New(Config{URL: url, Headers: map[string]secret.Value{
		"A": secret.Literal("x\r\nB: y")}}); err == nil {
		t.Error("a line break in a header's value")
	}
}
