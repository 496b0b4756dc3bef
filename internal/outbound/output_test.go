package outbound

import (
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	for _, text := range []string{"https://hooks.example.com", "http://127.0.0.1:8080/in",
		"https://hooks.example.com/in?token=a%2Fb&x=1", "http://alertmanager.monitoring:9093/",
		"https://[fd00::1]/", "https://example.com/a%2Fb/%5c/../c;d", "http://localhost:8080",
		"http://hook.shop.svc.cluster.local.:81/"} {
		if _, err := ParseURL(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"":                               "it must begin with https:// or http://",
		"ftp://hunter2.example.com":      "it must begin with https:// or http://",
		"https://a:hunter2@example.com/": "it has a user name in it",
		"https://example.com/hunter2#a":  "fragment",
		"https://example.com/ hunter2":   "white space",
		"https://example.com/hunter2%":   "not a valid URL",
		"https://example.com/\nhunter2":  "control",
		"http://a.localhost/hunter2":     "write the address",
		"http://localhost.localdomain./": "write the address",
		"http://a..:80/hunter2":          "its host is neither",
		"http://metadata./":              "metadata service",
		"http://127.1/hunter2":           "looks like an address",
		"http://0x7f000001/hunter2":      "looks like an address",
		"http://metadata.google.internal/computeMetadata/v1/hunter2": "metadata service",
		"http://[fe80::1%25eth0]/hunter2":                            "zone",
		"https://example.com:0/hunter2":                              "port",
	} {
		_, err := ParseURL(text)
		if err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// A name does not lead where only the address itself may lead.
func TestDialerChecksTheAddress(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1")
	for address, want := range map[[4]byte]string{
		{127, 0, 0, 1}:       "127.0.0.1 is a loopback address, which the output does not name",
		{169, 254, 169, 254}: "169.254.169.254 is a link-local address",
		{168, 63, 129, 16}:   "is the address of a metadata service",
		{10, 96, 0, 1}:       "is the cluster's API server",
	} {
		d := Dialer{Resolver: names(address)}
		c, err := d.DialContext(t.Context(), "tcp4", "hooks.example.com:80")
		if err == nil {
			_ = c.Close()
		}
		if !errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %s", address, err, want)
		}
	}
}

// The name localhost leads to a loopback address. What is fully qualified stays so.
func TestLocalhost(t *testing.T) {
	_, port, _ := strings.Cut(strings.TrimPrefix(server(t, nil), "http://"), ":")
	c, err := new(Dialer).DialContext(t.Context(), "tcp4", "localhost:"+port)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if u, err := ParseURL("http://a.b.:81/x"); err != nil || u.String() != "http://a.b.:81/x" {
		t.Errorf("got %v, %v", u, err)
	}
}

// Private addresses are fine, and so are others that are named; no proxy is asked for either.
func TestDialerReachesWhatIsNamed(t *testing.T) {
	url := server(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	transport := new(Dialer).Transport()
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport}
	answer, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()

	none := netip.Addr{}
	for _, address := range []string{"10.1.2.3", "fd00::1", "100.64.0.1", "8.8.8.8"} {
		if err := reachOutput(netip.AddrPortFrom(netip.MustParseAddr(address), 443), none); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	metadata := netip.MustParseAddr("169.254.169.254")
	if err := reachOutput(netip.AddrPortFrom(metadata, 80), metadata); err != nil {
		t.Errorf("named: %v", err)
	}
}
