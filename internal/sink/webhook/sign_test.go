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
		s := open(t, to.url, Config{Mode: mode, Sign: Sign{Secret: secret.Literal(newKey),
			Previous: secret.Literal(oldKey)}})
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
			want := messages[0].ID
			if mode == Batch {
				sum := sha256.Sum256([]byte(messages[0].ID + "\n"))
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

// The id of a batch is about which messages are in it.
func TestBatchID(t *testing.T) {
	a, b := pods(t, "a"), pods(t, "b")
	both := append(a[:1:1], b...)
	ids := map[string]bool{batchID(a): true, batchID(b): true, batchID(both): true}
	if len(ids) != 3 || batchID(both) != batchID(append(a[:1:1], b...)) {
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
