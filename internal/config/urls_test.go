package config

import "testing"

// What a URL may be does not depend on its spelling, and no mistake shows it.
func TestCheckURL(t *testing.T) {
	const https, form = " must begin with https:// unless it is a loopback or private address or a service in the cluster", " must be a URL that begins with https://"
	for text, want := range map[string]string{
		"https://hooks.example.com": "", "https://hooks.example.com:8443/a/b?c=d": "",
		"HTTPS://HOOKS.EXAMPLE.COM/": "", "https://10.0.0.1": "", "https://[2001:db8::1]:443/x": "",
		"http://localhost:8080": "", "http://127.0.0.1:1/x": "", "http://[::1]:1": "",
		"http://hook": "", "http://hook.shop.svc:8080": "",
		"http://hook.shop.svc.cluster.local.": "",
		"http://10.1.2.3":                     "", "http://[fd00::1]": "",
		"http://192.168.0.1:80/": "",

		"http://hooks.example.com": https, "http://hook.shop": https, "http://8.8.8.8": https,
		"http://svc.example.com": https, "http://a.svc.example.com": https,
		"http://169.254.169.254/latest": https, "http://localhost.example.com": https,

		"": form, "hooks.example.com": form, "ftp://a": form, "https:a": form, "//a": form,
		"javascript:alert(1)": form, "https://%zz": form, "https://a\n": form,

		"https://":                 " has no host, or no port after the colon",
		"https:///x":               " has no host, or no port after the colon",
		"https://a:":               " has no host, or no port after the colon",
		"https://a:0":              " must have a port of 1 to 65535",
		"https://a:65536":          " must have a port of 1 to 65535",
		"https://a:080":            " must have a port of 1 to 65535",
		"https://0.0.0.0":          " must have an address that can be connected to",
		"https://[::]":             " must have an address that can be connected to",
		"https://[fe80::1%25eth0]": " must have an address that can be connected to",
		"https://*.example.com":    " must have the name of a host, or an address",
		"https://u:p@a/":           " must not have a user name: credentials are headers, as in headers: {Authorization: {fromEnv: NAME}}",
		"https://u@a/":             " must not have a user name: credentials are headers, as in headers: {Authorization: {fromEnv: NAME}}",
		"https://a/#b":             " must not have a fragment",
		"https://a/#":              " must not have a fragment",
		"https://a/ b":             " has a space, a brace or another character in it that a URL cannot have",
		`https://a/\b`:             " has a space, a brace or another character in it that a URL cannot have",
	} {
		if got := CheckURL(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
