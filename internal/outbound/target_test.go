package outbound

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
)

func TestParseTarget(t *testing.T) {
	for text, want := range map[string]string{
		"https://hooks.example.com":                "https://hooks.example.com/",
		"HTTPS://Hooks.Example.COM:443/A?b=c#d":    "https://hooks.example.com/A?b=c",
		"https://hooks.example.com:0443/":          "https://hooks.example.com/",
		"https://hooks.example.com:/":              "https://hooks.example.com/",
		"http://hooks.example.com:443/":            "http://hooks.example.com:443/",
		"http://h:80/a%20b/%C3%A9/x;y=1":           "http://h/a%20b/%C3%A9/x;y=1",
		"http://[2001:DB8:0::1]:80/":               "http://[2001:db8::1]/",
		"http://[2001:db8::1]:8080/":               "http://[2001:db8::1]:8080/",
		"http://[::ffff:127.0.0.1]/":               "http://[::ffff:127.0.0.1]/",
		"http://h/?u=http%3A%2F%2Fx%2F..%2F":       "http://h/?u=http%3A%2F%2Fx%2F..%2F",
		"http://h/.well-known/a..b/...x":           "http://h/.well-known/a..b/...x",
		"http://h/100%25":                          "http://h/100%25",
		"http://h//a":                              "http://h//a",
		"/a":                                       "it must begin with https:// or http:// and a host",
		"":                                         "it must begin with https:// or http:// and a host",
		"ftp://h/":                                 "it must begin with https:// or http:// and a host",
		"http:h":                                   "it must begin with https:// or http:// and a host",
		"http:///a":                                "it must begin with https:// or http:// and a host",
		"//h/a":                                    "it must begin with https:// or http:// and a host",
		"file:///etc/passwd":                       "it must begin with https:// or http:// and a host",
		"http://h:99999999999999999999/":           "its port must be between 1 and 65535",
		"http://h:0/":                              "its port must be between 1 and 65535",
		"http://h:65536/":                          "its port must be between 1 and 65535",
		"http://h:-1/":                             "it is not a valid URL",
		"http://h:1:2/":                            "it is not a valid URL",
		"http://h/%zz":                             "it is not a valid URL",
		"http://[::1/":                             "it is not a valid URL",
		"http://user:pass@h/":                      "it has a user name in it",
		"http://@h/":                               "it has a user name in it",
		"http://allowed.example.com@127.0.0.1/":    "it has a user name in it",
		"http://h/\r\nX: y":                        "it has white space, control or non-ASCII characters in it",
		"http://h/a b":                             "it has white space, control or non-ASCII characters in it",
		"http://h/?a b":                            "it has white space, control or non-ASCII characters in it",
		"http://h\u3002example.com/":               "it has white space, control or non-ASCII characters in it",
		"http://h./":                               "its host is neither a name of letters, digits, - and _ nor an address",
		"http://a..b/":                             "its host is neither a name of letters, digits, - and _ nor an address",
		"http://a*b/":                              "its host is neither a name of letters, digits, - and _ nor an address",
		"http://h\\@x/":                            "it is not a valid URL",
		"http://" + strings.Repeat("a", 254) + "/": "its host has more than 253 characters",
		"http://[fe80::1%25eth0]/":                 "its address has a zone",
		"http://h/a/../b":                          "its path has a segment of dots in it",
		"http://h/..":                              "its path has a segment of dots in it",
		"http://h/./a":                             "its path has a segment of dots in it",
		"http://h/a/%2e%2e/b":                      "its path has a segment of dots in it",
		"http://h/a/.%2E/b":                        "its path has a segment of dots in it",
		"http://h/a/%252e%252E/b":                  "its path has a segment of dots in it",
		"http://h/a/%25252e%25252E/b":              "its path has a segment of dots in it",
		"http://h/a/..;x=1/b":                      "its path has a segment of dots in it",
		"http://h/a/..%3bx/b":                      "its path has a segment of dots in it",
		"http://h/a/..%20/b":                       "its path has a segment of dots in it",
		"http://h/a%2fb":                           "its path has an encoded slash or a backslash in it",
		"http://h/a%2Fb":                           "its path has an encoded slash or a backslash in it",
		"http://h/a%252Fb":                         "its path has an encoded slash or a backslash in it",
		"http://h/..%5cb":                          "its path has an encoded slash or a backslash in it",
		`http://h/..\b`:                            "its path has an encoded slash or a backslash in it",
		"http://h/a%00":                            "its path has a control character in it",
		"http://h/a%0d%0aX:%20y":                   "its path has a control character in it",
		"http://h/a%250a":                          "its path has a control character in it",
		"http://h/%c0%ae%c0%ae/":                   "its path is not UTF-8",
	} {
		got, err := parseTarget(text)
		result := ""
		if err != nil {
			result = err.Error()
		} else {
			result = got.url.String()
			again, err := parseTarget(result)
			if err != nil || again.url.String() != result || !again.sameOrigin(got) {
				t.Errorf("%q becomes %q, and that %v, %v", text, result, again.url, err)
			}
		}
		if result != want {
			t.Errorf("%q: got %q, want %q", text, result, want)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, test := range []struct {
		prefix, url string
		want        bool
	}{
		{"https://h/", "https://h/", true},
		{"https://h/", "https://h", true},
		{"https://h", "https://h/a", true},
		{"https://h/", "https://h:443/a?b", true},
		{"https://h/", "https://H/a", true},
		{"https://h/", "http://h/a", false},
		{"https://h/", "https://h:444/a", false},
		{"https://h/", "https://h.example.com/a", false},
		{"https://h/", "https://xh/a", false},
		{"https://h/a", "https://h/a", true},
		{"https://h/a", "https://h/a/", true},
		{"https://h/a", "https://h/a/b", true},
		{"https://h/a", "https://h/ab", false},
		{"https://h/a", "https://h/A", false},
		{"https://h/a", "https://h//a", false},
		{"https://h/a/", "https://h/a/b", true},
		{"https://h/a/", "https://h/a", false},
		{"https://h/a/", "https://h/%61/b", true},
		{"https://h/a%20b/", "https://h/a%20b/c", true},
		{"http://127.0.0.1/", "http://[::ffff:127.0.0.1]/", false},
		{"http://[::1]/", "http://[0:0:0:0:0:0:0:1]/", true},
	} {
		p, err := parsePrefix(test.prefix)
		if err != nil {
			t.Fatal(err)
		}
		u, err := parseTarget(test.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.within(p); got != test.want {
			t.Errorf("%s within %s: got %v", test.url, test.prefix, got)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	const good = "https://hooks.example.com/"
	const shape = "its host looks like an address, but is not written as one"
	const loop = "a name never leads to a loopback address: write the address, as in http://127.0.0.1:8080/"
	allow := func(text string) Config { return Config{Allow: []string{good, text}} }
	header := func(name, value string) Config {
		return Config{Allow: []string{good}, Headers: map[string]string{name: value}}
	}
	for _, test := range []struct {
		config Config
		want   string
	}{
		{Config{}, "allow is empty: name at least one URL prefix, such as https://hooks.example.com/"},
		{allow("hooks.example.com"),
			`allow "hooks.example.com": it must begin with https:// or http:// and a host`},
		{allow("https://*.example.com/"),
			`allow "https://*.example.com/": its host is neither a name of letters, digits, - and _ nor an address`},
		{allow("https://bob:secret@h/"), `allow "https://h/": it has a user name in it`},
		{allow("https://h/a?b"), `allow "https://h/a?b": it must end with the path`},
		{allow("https://h/a#b"), `allow "https://h/a#b": it must end with the path`},
		{allow("https://h/a/../b"),
			`allow "https://h/a/../b": its path has a segment of dots in it`},
		{allow("http://127.1/"), `allow "http://127.1/": ` + shape},
		{allow("http://2130706433/"), `allow "http://2130706433/": ` + shape},
		{allow("http://0x7f000001/"), `allow "http://0x7f000001/": ` + shape},
		{allow("http://127.0.0.01/"), `allow "http://127.0.0.01/": ` + shape},
		{allow("http://localhost:80/"), `allow "http://localhost:80/": ` + loop},
		{allow("http://a.localhost/"), `allow "http://a.localhost/": ` + loop},
		{allow("http://Metadata.Google.Internal/"),
			`allow "http://Metadata.Google.Internal/": it is a metadata service`},
		{Config{Allow: []string{good}, Methods: []string{"GET", "P T"}},
			`method "P T": it must be a word such as GET`},
		{Config{Allow: []string{good}, Methods: []string{"CONNECT"}},
			`method "CONNECT": handlers are not given it`},
		{Config{Allow: []string{good}, Methods: []string{"TRACE"}},
			`method "TRACE": handlers are not given it`},
		{header("a b", "v"), `header "a b": the name has other characters than letters, digits and some signs`},
		{header("host", "v"), `header "host": it cannot be set`},
		{header("proxy-authorization", "v"), `header "proxy-authorization": it cannot be set`},
		{header("Authorization", "secret\nX: y"),
			`header "Authorization": its value has a control character in it, such as a line break`},
		{Config{Allow: []string{good}, Headers: map[string]string{"a": "1", "A": "2"}},
			`header "A": defined twice, in different case`},
	} {
		_, err := New(test.config)
		if err == nil || err.Error() != test.want {
			t.Errorf("got  %v\nwant %s", err, test.want)
		}
	}
}

func TestRefusal(t *testing.T) {
	for address, want := range map[string]string{
		"10.0.0.1":     "",
		"192.168.1.1":  "",
		"198.51.100.7": "",
		"2001:db8::1":  "",
		"fd00::1":      "",
		// 8.8.8.8
		"64:ff9b:1::808:808": "", "64:ff9b:1:808:8:800::": "", "2001:0:808:808::f7f7:f7f7": "",
		"64:ff9b::a00:1":             "", // 10.0.0.1
		"2002:a00:1::":               "",
		"127.0.0.1":                  "a loopback address",
		"127.255.255.254":            "a loopback address",
		"::1":                        "a loopback address",
		"::ffff:127.0.0.1":           "a loopback address",
		"0.0.0.0":                    "an unspecified address",
		"0.1.2.3":                    "an unspecified address",
		"::":                         "an unspecified address",
		"::ffff:0.0.0.0":             "an unspecified address",
		"169.254.169.254":            "a link-local address",
		"169.254.0.1":                "a link-local address",
		"fe80::1":                    "a link-local address",
		"fe80::1%eth0":               "a link-local address",
		"febf::1":                    "a link-local address",
		"224.0.0.1":                  "a multicast address",
		"239.1.2.3":                  "a multicast address",
		"255.255.255.255":            "a multicast address",
		"ff02::1":                    "a multicast address",
		"100.100.100.200":            "the address of a metadata service",
		"168.63.129.16":              "the address of a metadata service",
		"fd00:ec2::254":              "the address of a metadata service",
		"fd00:ec2::253":              "the address of a metadata service",
		"fd00:42::42":                "the address of a metadata service",
		"fd00:c1::a9fe:a9fe":         "the address of a metadata service",
		"::127.0.0.1":                "a loopback address in IPv6 form",
		"::ffff:0:127.0.0.1":         "a loopback address in IPv6 form",
		"64:ff9b::7f00:1":            "a loopback address in IPv6 form",
		"64:ff9b::a9fe:a9fe":         "a link-local address in IPv6 form",
		"64:ff9b:1::a9fe:a9fe":       "a link-local address in IPv6 form",
		"64:ff9b:1:a9fe:a9:fe00::":   "a link-local address in IPv6 form",
		"64:ff9b:1:a9:fe:a9fe::":     "a link-local address in IPv6 form",
		"64:ff9b:1:1:a9:fea9:fe00:0": "a link-local address in IPv6 form",
		"2002:7f00:1::":              "a loopback address in IPv6 form",
		"2001:0:7f00:1::f7f7:f7f7":   "a loopback address in IPv6 form",
		"2001:0:a00:1::80ff:fffe":    "a loopback address in IPv6 form", // inverted
		"2001:db8::5efe:7f00:1":      "a loopback address in IPv6 form",
		"2001:db8::200:5efe:7f00:1":  "a loopback address in IPv6 form",
		"64:ff9b::6464:64c8":         "the address of a metadata service in IPv6 form",
	} {
		if got := refusal(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: got %q, want %q", address, got, want)
		}
	}
}

// Errors tell apart what the handler did wrong from what it was not granted.
func TestPrepareRefuses(t *testing.T) {
	c := client(t, Config{Allow: []string{"https://h/a/"}})
	many := map[string]string{"a": "", "b": "", "c": "", "d": "", "e": ""}
	with := func(name, value string) Head {
		return Head{"GET", "https://h/a/", map[string]string{name: value}}
	}
	for _, test := range []struct {
		head Head
		size int64
		kind error
		want string
	}{
		{Head{"GET", "https://h/a/", nil}, 1000, nil, ""},
		{with("X-A", "b\tc é"), 0, nil, ""},
		{Head{"", "https://h/a/", nil}, 0, ErrBad, "bad request: the method is none"},
		{Head{"GET\r\nX", "https://h/a/", nil}, 0, ErrBad, "bad request: the method is none"},
		{Head{"GET", "https://h/a/../b", nil}, 0, ErrBad,
			"bad request: the URL: its path has a segment of dots in it"},
		{Head{"GET", "https://h/a/", many}, 0, ErrBad,
			"bad request: it has 5 headers, at most 4 are allowed"},
		{with("a:b", "c"), 0, ErrBad,
			"bad request: a header's name has other characters than those of a token"},
		{with("", "c"), 0, ErrBad,
			"bad request: a header's name has other characters than those of a token"},
		{with("a\n", "c"), 0, ErrBad,
			"bad request: a header's name has other characters than those of a token"},
		{with("x-a", "c\r\nd: e"), 0, ErrBad,
			`bad request: the value of the header "X-A" has a control character in it`},
		{with("x-a", "c\nd"), 0, ErrBad,
			`bad request: the value of the header "X-A" has a control character in it`},
		{with("x-a", "c\x00"), 0, ErrBad,
			`bad request: the value of the header "X-A" has a control character in it`},
		{Head{"GET", "https://h/a/", map[string]string{"a": "1", "A": "2"}}, 0, ErrBad,
			`bad request: duplicate header "A"`},
		{with("host", "c"), 0, ErrDenied, `denied: the header "Host" is not the handler's to set`},
		{with("Content-Length", "3"), 0, ErrDenied,
			`denied: the header "Content-Length" is not the handler's to set`},
		{with("transfer-encoding", "chunked"), 0, ErrDenied,
			`denied: the header "Transfer-Encoding" is not the handler's to set`},
		{with("proxy-connection", "c"), 0, ErrDenied,
			`denied: the header "Proxy-Connection" is not the handler's to set`},
		{Head{"DELETE", "https://h/a/", nil}, 0, ErrDenied, "denied: the method is not granted"},
		{Head{"get", "https://h/a/", nil}, 0, ErrDenied, "denied: the method is not granted"},
		{Head{"GET", "https://h/b/", nil}, 0, ErrDenied, "denied: the URL is not granted"},
		{Head{"GET", "https://h/a/", nil}, 1001, ErrTooLarge,
			"too large: the body has 1001 bytes, at most 1000 are allowed"},
	} {
		_, err := c.Prepare(test.head, test.size)
		if !errors.Is(err, test.kind) || err != nil && err.Error() != test.want {
			t.Errorf("%q: got  %v\nwant %s", test.head, err, test.want)
		}
	}
}

func TestParseHead(t *testing.T) {
	for text, want := range map[string]string{
		`{"method":"PUT","url":"u","headers":{"a":"b"}}`: "",
		`{}`:                      "",
		``:                        "bad request: not a JSON object",
		`[]`:                      "bad request: not a JSON object",
		`null`:                    "bad request: not a JSON object",
		`{"url":"u"} x`:           "bad request: not a JSON object",
		"{\"url\":\"\xff\"}":      "bad request: not a JSON object",
		`{"url":1}`:               "bad request: url is of another type than it must be",
		`{"method":[]}`:           "bad request: method is of another type than it must be",
		`{"headers":{"a":1}}`:     "bad request: headers is of another type than it must be",
		`{"headers":{"a":["b"]}}`: "bad request: headers is of another type than it must be",
		`{"URL":"u"}`:             `bad request: unknown field "URL"`,
		`{"body":"u"}`:            `bad request: unknown field "body"`,
	} {
		_, err := ParseHead([]byte(text))
		if got := errorText(err); got != want || err != nil && !errors.Is(err, ErrBad) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	head, err := ParseHead([]byte(`{"url":"u\u0031","headers":{"a":"b"}}`))
	if err != nil || head.Method != "GET" || head.URL != "u1" || head.Headers["a"] != "b" {
		t.Errorf("got %v, %v", head, err)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Whatever is asked for, what is let through stays within the prefix and can be sent.
func FuzzPrepare(f *testing.F) {
	c, err := New(Config{Allow: []string{"https://h/a/", "http://127.0.0.1:8080/x"},
		Methods: []string{"GET"}, MaxHeaders: 4})
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		`{"url":"https://h/a/b?c#d"}`, `{"url":"https://h/a/%2e%2e/b"}`,
		`{"url":"http://127.0.0.1:8080/x"}`,
		`{"url":"https://h:0443/a/;..","headers":{"x":"y"}}`, `{"url":"https://h/a/..%255c"}`,
		`{"url":"https://u@h/a/"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		head, err := ParseHead(text)
		if err != nil {
			return
		}
		r, err := c.Prepare(head, 0)
		if err != nil {
			return
		}
		sent := r.target.url.String()
		if !strings.HasPrefix(sent, "https://h/") &&
			!strings.HasPrefix(sent, "http://127.0.0.1:8080/x") {
			t.Errorf("%q is sent as %q", text, sent)
		}
		path, _, _ := strings.Cut(sent, "?")
		if strings.Contains(path, "..%") || strings.Contains(path+"/", "/../") ||
			strings.ContainsAny(sent, "\r\n #\\") {
			t.Errorf("%q is sent as %q", text, sent)
		}
		again, err := parseTarget(sent)
		if err != nil || c.allows("GET", again) != nil || again.url.String() != sent {
			t.Errorf("%q, read again, is %v, %v", sent, again.url, err)
		}
		for name, values := range r.header {
			if !isToken(name) || isFraming(name) || strings.ContainsAny(values[0], "\r\n") {
				t.Errorf("header %q: %q", name, values)
			}
		}
	})
}
