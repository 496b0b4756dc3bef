package outbound

import "testing"

func TestHost(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost": true, "127.0.0.1": true, "127.8.9.1": true, "::1": true,
		"::ffff:127.0.0.1": true,

		"": false, "localhost.": false, "a.localhost": false, "localhost.example.com": false,
		"0.0.0.0": false, "::": false, "10.0.0.1": false, "127.1": false, "[::1]": false,
	} {
		if got := Loopback(host); got != want {
			t.Errorf("%q: got %t", host, got)
		}
	}
}
