package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
)

// Sign is how requests are signed.
type Sign struct {
	Secret secret.Value // unset: requests are not signed
	// Previous is a secret that receivers may still have. Unset: there is none.
	Previous secret.Value
}

// minKey is the length in bytes from which on a key is no obvious mistake.
const minKey = 16

// keys reads the secrets.
func (s Sign) keys() (keys [][]byte, err error) {
	if s.Secret.IsZero() && !s.Previous.IsZero() {
		return nil, errors.New("sign.previous without sign.secret")
	}
	for _, v := range []struct {
		name  string
		value secret.Value
	}{{"secret", s.Secret}, {"previous", s.Previous}} {
		if v.value.IsZero() {
			continue
		}
		text, err := v.value.Read()
		if err != nil {
			return nil, fmt.Errorf("sign.%s: %w", v.name, err)
		}
		key, err := parseKey(text)
		if err != nil {
			return nil, fmt.Errorf("sign.%s (%s): %w", v.name, v.value, err)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// parseKey decodes a secret. Its errors do not show it.
func parseKey(text string) ([]byte, error) {
	text = strings.TrimRight(strings.TrimPrefix(text, "whsec_"), "=")
	key, err := base64.RawStdEncoding.DecodeString(text)
	switch {
	case err != nil:
		return nil, errors.New("it must be base64, with or without whsec_ in front")
	case len(key) < minKey:
		return nil, fmt.Errorf("it has %d bytes after base64, at least %d are needed", len(key),
			minKey)
	}
	return key, nil
}

// sign adds the headers of Standard Webhooks, one signature for each key.
func sign(header http.Header, keys [][]byte, id string, now time.Time, body []byte) {
	timestamp := strconv.FormatInt(now.Unix(), 10)
	signatures := make([]string, len(keys))
	for i, key := range keys {
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write([]byte(id + "." + timestamp + ".")) // never fails
		_, _ = mac.Write(body)
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	header["Webhook-Id"] = []string{id}
	header["Webhook-Timestamp"] = []string{timestamp}
	header["Webhook-Signature"] = []string{strings.Join(signatures, " ")}
}

// messageID returns the id that a message has at its receiver, which may have others that are about
// the same state of its object.
func (s *Sink) messageID(m *sink.Message) string {
	return cloudevent.HeaderValue(cloudevent.DeliveryID(m, s.config.Output))
}

// batchID returns the id of a batch: that of its messages, whatever their data.
func (s *Sink) batchID(messages []sink.Message) string {
	hash := sha256.New()
	for i := range messages {
		_, _ = hash.Write([]byte(s.messageID(&messages[i]) + "\n")) // never fails
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}
