package outbound

import (
	"encoding/json"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"unicode/utf8"
)

// Head is a request without its body, as it was asked for.
type Head struct {
	Method  string // GET if it is left out
	URL     string
	Headers map[string]string
}

// ParseHead reads {"method":…,"url":…,"headers":{…}} and nothing else. The error is an ErrBad.
func ParseHead(text []byte) (Head, error) {
	head := Head{Method: http.MethodGet}
	var fields map[string]json.RawMessage
	if !utf8.Valid(text) || json.Unmarshal(text, &fields) != nil || fields == nil {
		return Head{}, bad("not a JSON object")
	}
	for name, value := range fields {
		var err error
		switch name { // exactly so: encoding/json alone would take "URL" as well
		case "method":
			err = json.Unmarshal(value, &head.Method)
		case "url":
			err = json.Unmarshal(value, &head.URL)
		case "headers":
			err = json.Unmarshal(value, &head.Headers)
		default:
			return Head{}, bad("unknown field %q", name)
		}
		if err != nil {
			return Head{}, bad("%s is of another type than it must be", name)
		}
	}
	return head, nil
}

// framing are the headers that say how a message is cut out of the stream and whom it is for. They
// are the client's own.
var framing = []string{"Connection", "Content-Length", "Expect", "Host", "Http2-Settings",
	"Keep-Alive", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade"}

func isFraming(name string) bool {
	return slices.Contains(framing, name) || strings.HasPrefix(name, "Proxy-")
}

// overrides are the headers in which some servers look for another method or path than the request
// has, so that the grant's would not hold.
var overrides = []string{"X-Http-Method", "X-Http-Method-Override", "X-Method-Override",
	"X-Original-Url", "X-Original-Uri",
	"X-Rewrite-Url", "X-Forwarded-Uri", "X-Forwarded-Path", "X-Forwarded-Prefix",
	"X-Forwarded-Host", "X-Host", "Forwarded"}

// headers checks what was asked for. At most as many as said are taken.
func headers(asked map[string]string, most int) (http.Header, error) {
	if len(asked) > most {
		return nil, bad("it has %d headers, at most %d are allowed", len(asked), most)
	}
	h := http.Header{}
	for name, value := range asked {
		if !isToken(name) {
			return nil, bad("a header's name has other characters than those of a token")
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case h[name] != nil:
			return nil, bad("duplicate header %q", name)
		case strings.Trim(name,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "":
			// Some servers take X_Api_Key for X-Api-Key, which may be the grant's own.
			return nil, denied(
				"the name of the header %q has other characters than letters, digits and -", name)
		case isFraming(name), slices.Contains(overrides, name):
			return nil, denied("the header %q is not the handler's to set", name)
		case !isValue(value):
			return nil, bad("the value of the header %q has a control character in it", name)
		}
		h[name] = []string{value}
	}
	return h, nil
}

// isToken reports whether a text can be a method or the name of a header.
func isToken(s string) bool {
	for _, c := range []byte(s) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && !('0' <= c && c <= '9') && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// isValue reports whether a text can be the value of a header. A line break would begin another
// header.
func isValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return isControl(r) && r != '\t' })
}
