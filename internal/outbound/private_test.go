package outbound

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestPrivateAddresses(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1")
	const private = "is a private address: use https, name the address, or set private in the grant"
	const server = "is the cluster's API server, which handlers never reach"
	for _, test := range []struct {
		address, scheme string
		private         bool
		want            string
	}{
		{"10.1.2.3", "http", false, private},
		{"172.16.0.1", "http", false, private},
		{"192.168.1.1", "http", false, private},
		{"100.64.1.1", "http", false, private},
		{"fd00::1", "http", false, private},
		{"::ffff:10.1.2.3", "http", false, private},
		{"64:ff9b::a01:203", "http", false, private},
		{"10.1.2.3", "http", true, ""},
		{"10.1.2.3", "https", false, ""},
		{"10.0.0.9", "http", false, ""}, // as the grant names it
		{"8.8.8.8", "http", false, ""},
		{"2001:db8::1", "http", false, ""},
		{"10.96.0.1", "http", true, server},
		{"10.96.0.1", "https", false, server},
		{"::ffff:10.96.0.1", "https", true, server},
		{"64:ff9b::a60:1", "https", true, server},
		{"fd00:ec2::23", "https", true,
			"is the address of a metadata service, which the grant does not name"},
	} {
		c := client(t, Config{Allow: []string{"http://h/", "http://10.0.0.9/", "http://10.96.0.1/"},
			Private: test.private})
		address := netip.MustParseAddr(test.address)
		named := netip.Addr{}
		// naming the API server does not help
		if test.address == "10.0.0.9" || strings.HasSuffix(test.address, "10.96.0.1") {
			named = address.Unmap()
		}
		err := c.reach(netip.AddrPortFrom(address, 443), named, test.scheme)
		switch {
		case test.want == "" && err != nil, test.want != "" &&
			(err == nil || !strings.HasSuffix(err.Error(), test.want)):
			t.Errorf("%s by %s, private %v: got %v, want %q", test.address, test.scheme,
				test.private, err, test.want)
		}
	}
}

// The scheme of a request is known where its connection is made.
func TestPrivateAddressesOfNames(t *testing.T) {
	c := client(t, Config{Allow: []string{"http://hooks.example.com/",
		"https://hooks.example.com/"}, Resolver: names([4]byte{10, 255, 255, 1})})
	if _, err := get(t, c, "http://hooks.example.com/"); err == nil ||
		!strings.Contains(err.Error(), "10.255.255.1 is a private address") {
		t.Errorf("http: %v", err)
	}
}

// What some servers take for another method, path or header is no way around the grant.
func TestHeadersThatOverride(t *testing.T) {
	c := client(t, Config{Allow: []string{"https://h/a/"},
		Headers: map[string]string{"X-Api-Key": "secret"}})
	for name, want := range map[string]string{
		"X-HTTP-Method-Override": `denied: the header "X-Http-Method-Override" is not the handler's to set`,
		"x-http-method":          `denied: the header "X-Http-Method" is not the handler's to set`,
		"X-METHOD-OVERRIDE":      `denied: the header "X-Method-Override" is not the handler's to set`,
		"X-Original-URL":         `denied: the header "X-Original-Url" is not the handler's to set`,
		"X-Rewrite-URL":          `denied: the header "X-Rewrite-Url" is not the handler's to set`,
		"X_Api_Key":              `denied: the name of the header "X_api_key" has other characters than letters, digits and -`,
		"X.Api.Key":              `denied: the name of the header "X.api.key" has other characters than letters, digits and -`,
		"X-Request-ID":           "",
	} {
		_, err := c.Prepare(Head{http.MethodGet, "https://h/a/", map[string]string{name: "DELETE"}},
			0)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}
