package outage

import (
	"crypto/tls"
	"slices"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/secret/tlstest"
)

// fault is what is wrong with a receiver.
type fault string

const (
	none         fault = "none"
	refused      fault = "connection refused"
	blackHole    fault = "black hole"
	resetBefore  fault = "reset before the body is read"
	resetAfter   fault = "reset after the body"
	serverErrors fault = "5xx"
	tooMany      fault = "429 with Retry-After"
	slow         fault = "1 byte a second"
	halfOpen     fault = "half an answer"
	wrongName    fault = "wrong name in the certificate"
	expired      fault = "expired certificate"
	gone         fault = "410"
)

var faults = []fault{refused, blackHole, resetBefore, resetAfter, serverErrors, tooMany, slow,
	halfOpen, wrongName, expired, gone}

// hangs reports whether only a time-out ends a request.
func (f fault) hangs() bool { return f == blackHole || f == slow || f == halfOpen }

// doubles reports whether the receiver may take what the sender does not know to be taken.
func (f fault) doubles() bool { return f == resetAfter || f.hangs() }

// timeout is short if the fault makes requests last as long, else they must not time out.
func (f fault) timeout() time.Duration {
	if f.hangs() {
		return time.Second
	}
	return 20 * time.Second
}

// certificates are those of the receivers.
type certificates struct {
	good  tls.Certificate
	bad   map[fault]tls.Certificate
	files *secret.TLSFiles
}

func certify(t *testing.T) certificates {
	good := tlstest.New(t, "receiver")
	elsewhere, old := tlstest.Elsewhere(t, "elsewhere"), tlstest.Expired(t, "old")
	folder := tlstest.NewFolder(t, good)
	folder.Write("ca", slices.Concat(good.Cert, elsewhere.Cert, old.Cert))
	return certificates{good.Pair, map[fault]tls.Certificate{wrongName: elsewhere.Pair,
		expired: old.Pair}, &secret.TLSFiles{CAFile: folder.Path("ca")}}
}
