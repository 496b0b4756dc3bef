package objects

import (
	"fmt"
	"math/rand/v2"
	"time"
)

var (
	products = []string{"checkout", "catalog", "payments", "search", "shipping", "accounts",
		"pricing", "inventory", "recommendations"}
	roles      = []string{"api", "worker", "frontend", "gateway", "consumer", "scheduler"}
	tiers      = []string{"frontend", "backend", "batch", "data"}
	namespaces = []string{"shop", "pay", "platform", "logistics"}
	sidecars   = []string{"istio-proxy", "vault-agent", "fluent-bit", "otel-collector",
		"config-reloader", "cloud-sql-proxy"}
	envWords = []string{"DATABASE", "CACHE", "KAFKA", "FEATURE", "HTTP", "TIMEOUT", "UPSTREAM",
		"TRACING", "LIMIT", "REGION"}
	// The API server escapes <, > and & in strings, so realistic values contain such escapes.
	envValues = []string{
		`postgres://app@db-primary.data.svc.cluster.local:5432/orders?sslmode=verify-full\u0026pool_max_conns=20`,
		`{\"retries\":3,\"backoff\":\"250ms\",\"hosts\":[\"a.internal.example.com\",\"b.internal.example.com\"]}`,
		`kafka-0.kafka.platform.svc.cluster.local:9092,kafka-1.kafka.platform.svc.cluster.local:9092`,
		`-Xms512m -Xmx512m -XX:+UseG1GC -XX:MaxGCPauseMillis=100 -Dfile.encoding=UTF-8`,
		`http://otel-collector.observability.svc.cluster.local:4317/v1/traces`,
		`Zürich, København, Łódź: default delivery regions of the storefront`,
		`true`,
		`30s`,
	}
)

// Kubernetes draws generated name suffixes from these, without characters that could spell words.
const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789"

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

func suffix(r *rand.Rand, n int) string { return draw(r, suffixAlphabet, n) }

// replicaSuffix returns the suffix of a replica's name: it looks as random as the result of suffix,
// and is different for each replica of a workload, since multiplying by a number without the
// modulus's only prime factor, 3, permutes the numbers below the modulus.
func replicaSuffix(seed uint64) string {
	const modulus, scatter = 27 * 27 * 27 * 27 * 27, 7_654_321
	n := (seed/Workloads*scatter + seed%Workloads) % modulus
	var b [5]byte
	for i := range b {
		b[i] = suffixAlphabet[n%27]
		n /= 27
	}
	return string(b[:])
}

func hexDigits(r *rand.Rand, n int) string { return draw(r, "0123456789abcdef", n) }

func draw(r *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

func uuid(r *rand.Rand) string {
	return fmt.Sprintf("%s-%s-4%s-a%s-%s", hexDigits(r, 8), hexDigits(r, 4), hexDigits(r, 3),
		hexDigits(r, 3), hexDigits(r, 12))
}

func timestamp(r *rand.Rand) string {
	start := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	return start.Add(time.Duration(r.IntN(180*24*3600)) * time.Second).Format(time.RFC3339)
}

// firstVersion returns a resourceVersion with which an object may have been created.
func firstVersion(r *rand.Rand) uint64 { return 100_000_000 + r.Uint64N(800_000_000) }
