package objects

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
)

// SecretAt returns a state of a Secret of about size bytes with a random certificate and key. A
// later state is a renewal: it differs in metadata.resourceVersion, the time of the managedFields
// entry, an annotation, and all of the data except the authority's certificate.
func SecretAt(seed uint64, size int, r Revision) []byte {
	own := rand.New(rand.NewPCG(seed, 50))
	h := newHeader("v1", "Secret", own)
	app := pick(own, products) + "-" + pick(own, roles)
	h.name, h.namespace = app+"-tls-"+uniqueSuffix(seed), pick(own, namespaces)
	changed := h.revise(r)
	h.labels = []label{{"controller.cert-manager.io/fao", "true"}}
	h.annotations = []label{
		{"cert-manager.io/certificate-name", h.name}, {
			"cert-manager.io/common-name", app + "." + h.namespace + ".svc.cluster.local"},
		{"cert-manager.io/issuer-kind", "ClusterIssuer"}, {
			"cert-manager.io/issuer-name", "internal"}, {"example.com/renewed", changed},
	}
	h.managed = []manager{{name: "cert-manager-certificates-issuing", time: changed,
		fields: `{"f:data":{".":{},"f:ca.crt":{},"f:tls.crt":{},"f:tls.key":{}},"f:metadata":{"f:annotations":` +
			managedLabels(h.annotations) + `,"f:labels":` + managedLabels(h.labels) +
			`},"f:type":{}}`}}

	var b bytes.Buffer
	h.write(&b)
	authority := rand.New(rand.NewPCG(1, 51)) // one for all
	state := r.random(seed)
	const rest = 1_200
	room := max(64, (size-rest)*3/4) // before encoding as base64
	fmt.Fprintf(&b, `"data":{"ca.crt":%q,"tls.crt":%q,"tls.key":%q},"type":%q}`,
		certificate(authority, room/4), certificate(state, room/2), certificate(state, room/4),
		pick(own, []string{"kubernetes.io/tls", "Opaque"}))
	return b.Bytes()
}

// certificate returns n random bytes as base64.
func certificate(r *rand.Rand, n int) string {
	raw := make([]byte, n)
	for i := range raw {
		raw[i] = byte(r.Uint32())
	}
	return base64.StdEncoding.EncodeToString(raw)
}
