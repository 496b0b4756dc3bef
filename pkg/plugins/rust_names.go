package plugins

import (
	"regexp"
	"strconv"
	"strings"
)

var rustHash = regexp.MustCompile(`(::h|17h)[0-9a-f]{16}E?`)

var rustSigns = strings.NewReplacer("$LT$", "<", "$GT$", ">", "$RF$", "&", "$BP$", "*", "$C$", ",",
	"$u20$", " ",
	"$u27$", "'", "$u5b$", "[", "$u5d$", "]", "$u7b$", "{", "$u7d$", "}", "$u7e$", "~", "..", "::")

// plainName returns a name of Rust's without its hash, and demangled if it is mangled. Other names
// are as they were.
func plainName(line string) string {
	name, signature, _ := strings.Cut(line, "(")
	if i := strings.LastIndexByte(line, '('); i >= 0 { // the name may have some, too
		name, signature = line[:i], line[i+1:]
	}
	plain := rustHash.ReplaceAllString(name, "")
	if rest, mangled := strings.CutPrefix(plain, "_ZN"); mangled {
		plain = rustSigns.Replace(strings.TrimPrefix(demangled(rest), "_"))
	}
	return plain + "(" + signature
}

// demangled returns foo::inner for 3foo5inner.
func demangled(s string) string {
	var out []string
	for s != "" {
		digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
		n, err := strconv.Atoi(s[:digits])
		if err != nil || n > len(s)-digits {
			return strings.Join(append(out, s), "::")
		}
		out = append(out, strings.TrimPrefix(s[digits:digits+n], "_$"))
		if strings.HasPrefix(s[digits:], "_$") {
			out[len(out)-1] = "$" + out[len(out)-1]
		}
		s = s[digits+n:]
	}
	return strings.Join(out, "::")
}
