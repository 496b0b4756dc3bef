package webhook

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
)

const (
	newKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	oldKey = "C2FVsBQIhrscChlQIMV+b5sSYspob7oD" // without the prefix
)

// verify checks a request with the library of Standard Webhooks.
func verify(t *testing.T, key string, r request) error {
	t.Helper()
	wh, err := standardwebhooks.NewWebhook(key)
	if err != nil {
		t.Fatal(err)
	}
	return wh.Verify(r.body, r.header)
}

func TestSignature(t *testing.T) {
	for _, mode := range []Mode{Structured, Binary, Batch} {
		to := serve(t, nil)
		s := open(t, to.url, Config{Output: "hook", Mode: mode,
			Sign: Sign{Secret: secret.Literal(newKey), Previous: secret.Literal(oldKey)}})
		messages := pods(t, "a")
		for range 2 {
			if errs := s.Write(t.Context(), messages); errs != nil {
				t.Fatal(errs)
			}
		}
		for _, r := range to.got() {
			for _, key := range []string{newKey, oldKey} {
				if err := verify(t, key, r); err != nil {
					t.Errorf("mode %d, key %s: %v", mode, key, err)
				}
			}
			if verify(t, "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", r) == nil {
				t.Error("verified with another key")
			}
			want := cloudevent.DeliveryID(&messages[0], "hook")
			if mode == Batch {
				sum := sha256.Sum256([]byte(want + "\n"))
				want = hex.EncodeToString(sum[:16])
			}
			if got := r.header.Get("webhook-id"); got != want {
				t.Errorf("mode %d: the id is %s, want %s", mode, got, want)
			}
			r.body[0] ^= 1
			if verify(t, newKey, r) == nil {
				t.Error("verified with another body")
			}
		}
	}
}

// Receivers drop what comes with an id that they know, so what another listener or output sends
// them about the same change has another one. An attempt more does not.
func TestReceiverOfSeveral(t *testing.T) {
	mine := pods(t, "a")
	origin := *mine[0].Origin
	origin.Source = "/clusters/prod/listeners/second"
	others := []sink.Message{mine[0]}
	others[0].Origin = &origin
	if mine[0].ID != others[0].ID {
		t.Fatal("the messages are not about one change")
	}
	for _, mode := range []Mode{Structured, Binary, Batch} {
		to := serve(t, nil)
		sign := Sign{Secret: secret.Literal(newKey)}
		first := open(t, to.url, Config{Output: "first", Mode: mode, Sign: sign})
		second := open(t, to.url, Config{Output: "second", Mode: mode, Sign: sign})
		for range 2 {
			for _, errs := range [][]error{first.Write(t.Context(), mine),
				first.Write(t.Context(), others), second.Write(t.Context(), mine)} {
				if errs != nil {
					t.Fatal(errs)
				}
			}
		}
		times := map[string]int{}
		for _, r := range to.got() {
			times[r.header.Get("Webhook-Id")]++
		}
		if len(times) != 3 {
			t.Errorf("mode %d: ids and how often they came: %v; want 3, twice each", mode, times)
		}
	}
}

// The id of a batch is about which messages are in it.
func TestBatchID(t *testing.T) {
	a, b := pods(t, "a"), pods(t, "b")
	both := append(a[:1:1], b...)
	var s Sink
	ids := map[string]bool{s.batchID(a): true, s.batchID(b): true, s.batchID(both): true}
	if len(ids) != 3 || s.batchID(both) != s.batchID(append(a[:1:1], b...)) {
		t.Errorf("got %v", ids)
	}
}

// A key in a file is replaced without a restart.
func TestKeyInAFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "key")
		write := func(text string) {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(oldKey + "\n")
		signer := Sign{Secret: secret.FromFile(path)}
		first, err := signer.keys()
		if err != nil || len(first) != 1 {
			t.Fatal(first, err)
		}
		write(newKey + "\n")
		time.Sleep(time.Second)
		second, err := signer.keys()
		if err != nil || string(first[0]) == string(second[0]) {
			t.Errorf("the key is the same, %v", err)
		}
		write("hunter2")
		time.Sleep(time.Second)
		if _, err := signer.keys(); err == nil || strings.Contains(err.Error(), "hunter2") ||
			!strings.Contains(err.Error(), path) {
			t.Errorf("got %v", err)
		}
	})
}
