//go:build !wasip1

package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"testing"
	"time"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/informerdtest"
)

var today = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// at sets the clock to d days after today.
func at(d int) {
	now = func() time.Time { return today.Add(time.Duration(d) * day) }
}

// bundle makes a PEM bundle of certificates that expire so many days after today.
func bundle(t *testing.T, ends ...int) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var made bytes.Buffer
	for _, d := range ends {
		template := &x509.Certificate{
			SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "shop"},
			DNSNames:  []string{"shop.example.com"},
			NotBefore: today.Add(-1000 * day), NotAfter: today.Add(time.Duration(d) * day),
		}
		der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
		if err != nil {
			t.Fatal(err)
		}
		if err := pem.Encode(&made, &pem.Block{Type: "CERTIFICATE", Bytes: der}); err != nil {
			t.Fatal(err)
		}
	}
	return made.Bytes()
}

// configMapWith makes a ConfigMap with a bundle.
func configMapWith(uid string, bundle []byte) string {
	return fmt.Sprintf(`{"kind":"ConfigMap","metadata":{"namespace":"shop","name":"ca","uid":%q},"data":{"ca.crt":%q}}`, uid, bundle)
}

// expect checks a result: "" is no event, otherwise the days left.
func expect(t *testing.T, r informerdtest.Result, want string) {
	t.Helper()
	if want == "" {
		if r.Verdict != informerd.Drop {
			t.Errorf("got %+v, want drop", r)
		}
		return
	}
	if r.Verdict != informerd.Done || len(r.Emitted) != 1 || r.Emitted[0].Type != eventType {
		t.Fatalf("got %+v, want one event", r)
	}
	var f finding
	if err := json.Unmarshal(r.Emitted[0].Data, &f); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%s %s/%s %d", f.Kind, f.Namespace, f.Name, f.DaysLeft)
	if f.Expired {
		got += " expired"
	}
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestStages(t *testing.T) {
	g := informerdtest.Start(t, `{"days":[7,30]}`)
	at(0)
	c, renewed := configMapWith("a", bundle(t, 40)), configMapWith("a", bundle(t, 500))
	expect(t, g.Add(c), "")
	for _, step := range []struct {
		day  int
		want string
	}{{9, ""}, {10, "ConfigMap shop/ca 30"}, {11, ""}, {32, ""}, {33, "ConfigMap shop/ca 7"}, {
		39, ""}, {40, "ConfigMap shop/ca 0 expired"}, {41, ""}} {
		at(step.day)
		expect(t, g.Resync(c), step.want)
	}
	expect(t, g.Update(c, renewed), "")
	expect(t, g.Update(renewed, c), "ConfigMap shop/ca -1 expired") // it was removed from memory
	expect(t, g.Delete(c), "")
	expect(t, g.Add(c), "ConfigMap shop/ca -1 expired")
}

// In a bundle the certificate that expires last counts, and of several bundles the one that expires
// first.
func TestBundles(t *testing.T) {
	g := informerdtest.Start(t, "")
	at(0)
	encode := func(ends ...int) string {
		return base64.StdEncoding.EncodeToString(bundle(t, ends...))
	}
	expect(t, g.Add(configMapWith("a", bundle(t, 3, 20, -5))), "ConfigMap shop/ca 20")
	expect(t, g.Add(configMapWith("b", bundle(t, 3, 200))), "")
	expect(t, g.Add(fmt.Sprintf(
		`{"kind":"APIService","metadata":{"name":"v1","uid":"c"},"spec":{"caBundle":%q}}`,
		encode(6))), "APIService /v1 6")
	expect(t, g.Add(fmt.Sprintf(
		`{"kind":"CRD","metadata":{"name":"x","uid":"d"},"spec":{"conversion":{"webhook":{"clientConfig":{"caBundle":%q}}}}}`,
		encode(9))), "CRD /x 9")
	expect(t, g.Add(fmt.Sprintf(
		`{"kind":"W","metadata":{"name":"w","uid":"e"},"webhooks":[{"clientConfig":{"caBundle":%q}},`+
			`{"clientConfig":{"url":"u"}},{"clientConfig":{"caBundle":%q}}]}`, encode(300),
		encode(4))), "W /w 4")
}

func TestCertManager(t *testing.T) {
	g := informerdtest.Start(t, "")
	at(0)
	c := `{"kind":"Certificate","metadata":{"namespace":"shop","name":"tls","uid":"c"},"status":{"notAfter":%q}}`
	expect(t, g.Add(fmt.Sprintf(c, "2026-05-21T12:00:00Z")), "Certificate shop/tls 20")
	expect(t, g.Add(fmt.Sprintf(c, "2027-05-21T12:00:00Z")), "")
	if r := g.Add(fmt.Sprintf(c, "soon")); r.Verdict != informerd.Fail ||
		r.Message != "status.notAfter is not a time" {
		t.Errorf("got %+v", r)
	}
}

func TestWhatIsNoCertificate(t *testing.T) {
	g := informerdtest.Start(t, "")
	expect(t, g.Add(`{"kind":"ConfigMap","metadata":{"uid":"o"},"data":{"x":"y"}}`), "")
	expect(t, g.Add(`{"kind":"W","metadata":{"uid":"o"},"webhooks":[{}]}`), "")
	for object, want := range map[string]string{
		`{"spec":{"caBundle":"!"}}`:                             "a bundle of certificates is not base64",
		`{"spec":{"caBundle":"dGV4dA=="}}`:                      "empty bundle of certificates",
		`{"webhooks":[{"clientConfig":{"caBundle":"dGV4dA"}}]}`: "a bundle of certificates is not base64",
		`{"webhooks":[1]}`:                                      "webhooks is not a list of webhooks",
		configMapWith("s", []byte("text")):                      "empty bundle of certificates",
		configMapWith("s", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
			Bytes: []byte{1}})): "malformed certificate",
	} {
		if r := g.Add(object); r.Verdict != informerd.Fail || r.Message != want {
			t.Errorf("%s: got %+v, want %s", object, r, want)
		}
	}
}

func TestObjectsAreBounded(t *testing.T) {
	g := informerdtest.Start(t, `{"maxObjects":10}`)
	at(0)
	for n := range 100 {
		expect(t, g.Add(fmt.Sprintf(
			`{"kind":"C","metadata":{"namespace":"n","name":"c","uid":"%d"},"status":{"notAfter":"2026-05-02T12:00:00Z"}}`, n)), "C n/c 1")
	}
	if len(reports.byUID) != 10 || reports.order.Len() != 10 {
		t.Errorf("%d reports are remembered, the order has %d", len(reports.byUID),
			reports.order.Len())
	}
}

func TestConfigure(t *testing.T) {
	for config, want := range map[string]string{
		`{"days":[]}`:      "days is empty: name at least one number of days",
		`{"days":[3,0]}`:   "days: 0 must be at least 1",
		`{"maxObjects":0}`: "maxObjects is 0, it must be at least 1",
		`{"day":[1]}`:      `config: json: unknown field "day"`,
	} {
		if _, err := informerdtest.Load(config); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
}
