package nats

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/sink"
)

// maxSubject bounds the length of a subject in bytes. Servers close the connection on much longer
// ones.
const maxSubject = 512

// subject returns the checked subject of a message. Errors are permanent.
func (c *Config) subject(m *sink.Message) (string, error) {
	subject, err := c.Subject(m)
	if err != nil {
		return "", sink.Permanent(fmt.Errorf("the subject's expression failed: %w", err))
	}
	return subject, sink.Permanent(checkSubject(subject))
}

// checkSubject returns what is wrong with a subject that may have texts of objects in it: they must
// reach nothing but what consumers subscribe to.
func checkSubject(subject string) error {
	switch {
	case subject == "":
		return errors.New("the subject is empty: change its expression")
	case len(subject) > maxSubject:
		return fmt.Errorf("the subject has %d bytes, more than %d: change its expression",
			len(subject), maxSubject)
	case !utf8.ValidString(subject):
		return fmt.Errorf("the subject %q is not valid UTF-8: change its expression", subject)
	case strings.ContainsFunc(subject, badInSubject):
		return fmt.Errorf(
			"the subject %q has white space, a control character or a wildcard (* or >) in it: replace such characters in its expression",
			subject)
	case strings.HasPrefix(subject, ".") || strings.HasSuffix(subject, ".") ||
		strings.Contains(subject, ".."):
		return fmt.Errorf("the subject %q has an empty level: check for empty values in its expression",
			subject)
	case strings.HasPrefix(subject, "$") && !strings.HasPrefix(subject, "$KV."),
		strings.HasPrefix(subject, "_INBOX."):
		return fmt.Errorf(
			"the subject %q belongs to the server or to a client: begin its expression with a text",
			subject)
	}
	return nil
}

func badInSubject(r rune) bool {
	return r == '*' || r == '>' || unicode.IsSpace(r) || unicode.IsControl(r)
}
