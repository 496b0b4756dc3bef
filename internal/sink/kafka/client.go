package kafka

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
)

const (
	// maxDial bounds one attempt to connect.
	maxDial = 5 * time.Second
	// maxBytes bounds what waits in a client for brokers.
	maxBytes = 256 << 20
	// maxRecords bounds how many messages do so.
	maxRecords = 200_000
	// batchBytes bounds a batch before compression: by default, brokers refuse larger ones.
	batchBytes = 1_000_012
	// singleBytes bounds a record that is sent alone. The broker decides below it.
	singleBytes = 64 << 20
)

// retries are the delays between the client's own attempts.
var retries = backoff.Backoff{Min: 50 * time.Millisecond, Max: time.Second}

// newClient makes a client, which connects when it is used. It keeps at most a number of records,
// and sends batches up to a size.
func (s *Sink) newClient(records int, size int32) (*kgo.Client, error) {
	c := &s.config
	options := []kgo.Opt{
		kgo.ClientID("informerd"),
		kgo.DisableClientMetrics(),
		kgo.SeedBrokers(c.Brokers...),
		kgo.DefaultProduceTopicAlways(),
		kgo.DefaultProduceTopic(c.Topic),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.ProducerLinger(0),
		kgo.MaxBufferedRecords(records),
		kgo.MaxBufferedBytes(maxBytes),
		kgo.ProducerBatchMaxBytes(size),
		kgo.RetryBackoffFn(func(failures int) time.Duration {
			return backoff.Early(retries.Delay(failures))
		}),
		kgo.MetadataMinAge(250 * time.Millisecond),
		// The client gives up somewhat earlier than Write, where it can know that nothing was
		// produced, so that Write can say why.
		kgo.RecordDeliveryTimeout(max(c.Timeout*3/4, time.Second)),
		kgo.ProduceRequestTimeout(max(c.Timeout/2, 100*time.Millisecond)),
		kgo.RequestTimeoutOverhead(max(c.Timeout/2, 100*time.Millisecond)),
		kgo.Dialer(dialer(min(maxDial, c.Timeout), s.tls, c.Fence)),
		kgo.MaxVersions(versions()),
		kgo.WithHooks(&s.connects),
	}
	if c.SASL != nil {
		options = append(options, kgo.SASL(c.SASL.mechanism()))
	}
	client, err := kgo.NewClient(options...)
	return client, sink.ErrorOf("kafka", err)
}

// lastSingle is the last version of produce requests of which the client has one on its way to a
// broker, instead of five. Every broker since Kafka 0.11 has it, and 4.0 has none below.
const lastSingle = 3

// versions returns the versions of requests that the client may use. With several requests on the
// way, an error that resets the producer's state can leave a partition behind that is never
// produced to again: see the package comment.
func versions() *kversion.Versions {
	all := kversion.Stable()
	all.SetMaxKeyVersion(int16(kmsg.Produce), lastSingle)
	return all
}

func dialer(timeout time.Duration, files *secret.TLS, f *sink.Fence) secret.DialFunc {
	plain := f.Dial((&net.Dialer{Timeout: timeout}).DialContext)
	if files == nil {
		return plain
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return files.Dialer(plain)(ctx, network, address)
	}
}

// mechanism returns the mechanism, which reads the password for each connection.
func (s *SASL) mechanism() sasl.Mechanism {
	password := func() (string, error) {
		text, err := s.Password.Read()
		if err == nil && text == "" {
			err = errors.New("the password is empty")
		}
		return text, err
	}
	shared := func(context.Context) (scram.Auth, error) {
		text, err := password()
		return scram.Auth{User: s.Username, Pass: text}, err
	}
	switch s.Mechanism {
	case Plain:
		return plain.Plain(func(context.Context) (plain.Auth, error) {
			text, err := password()
			return plain.Auth{User: s.Username, Pass: text}, err
		})
	case ScramSHA256:
		return scram.Sha256(shared)
	}
	return scram.Sha512(shared)
}

// connects keeps what came of the last attempt to connect to a broker.
type connects struct {
	mu  sync.Mutex
	err error
}

// OnBrokerConnect implements kgo.HookBrokerConnect.
func (c *connects) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

// problem returns why the last attempt failed, nil if it did not.
func (c *connects) problem() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}
