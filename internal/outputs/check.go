package outputs

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/secret"
)

// checker collects what is wrong with the secrets and files of an output.
type checker struct {
	cfg      *config.Config
	mistakes config.Errors
}

// Check returns what is wrong with the secrets and files that an output names.
func Check(cfg *config.Config, o *config.Output) config.Errors {
	c := &checker{cfg: cfg}
	at := "outputs." + o.Name
	switch {
	case o.File != nil:
		c.folder(at+".file.path", filepath.Dir(cfg.Path(o.File.Path)))
	case o.Webhook != nil:
		at += ".webhook"
		c.url(at+".url", o.Webhook.URL)
		c.headers(at, o.Webhook.Headers)
		c.tls(at+".tls", o.Webhook.TLS)
		if s := o.Webhook.Sign; s != nil {
			c.secret(at+".sign.secret", &s.Secret)
			c.secret(at+".sign.previous", s.Previous)
		}
	case o.NATS != nil:
		c.secret(at+".nats.credentials", o.NATS.Credentials)
		c.tls(at+".nats.tls", o.NATS.TLS)
	case o.Kafka != nil:
		c.tls(at+".kafka.tls", o.Kafka.TLS)
		if s := o.Kafka.SASL; s != nil {
			c.secret(at+".kafka.sasl.password", &s.Password)
		}
	case o.Slack != nil:
		c.url(at+".slack.url", o.Slack.URL)
	case o.Alertmanager != nil:
		at += ".alertmanager"
		c.url(at+".url", o.Alertmanager.URL)
		c.headers(at, o.Alertmanager.Headers)
		c.tls(at+".tls", o.Alertmanager.TLS)
	}
	return c.mistakes
}

// CheckState returns what is wrong with the secrets and files of what replicas have in common.
func CheckState(cfg *config.Config) config.Errors {
	c, n := &checker{cfg: cfg}, cfg.State.NATS
	if n == nil {
		return nil
	}
	c.secret("state.nats.credentials", n.Credentials)
	c.tls("state.nats.tls", n.TLS)
	return c.mistakes
}

func (c *checker) wrong(field string, err error, hint string) {
	mistake := c.cfg.ErrorAt(field, fmt.Sprintf("%s: %v", field, err), hint)
	mistake.Absent = errors.Is(err, fs.ErrNotExist)
	c.mistakes = append(c.mistakes, mistake)
}

// url checks a URL that is not in the configuration, where it was checked already.
func (c *checker) url(field string, v config.Value) {
	where := placeOf(v)
	if where == "" {
		return
	}
	text, err := value(c.cfg, v).Read()
	if err != nil {
		c.wrong(field+where, err, "")
		return
	}
	if problem := config.CheckURL(text); problem != "" {
		c.mistakes = append(c.mistakes, c.cfg.ErrorAt(field+where,
			field+where+": the value"+problem, ""))
	}
}

// placeOf returns the field that says where a value is, "" if it is in the configuration.
func placeOf(v config.Value) string {
	switch {
	case v.FromEnv != "":
		return ".fromEnv"
	case v.FromFile != "":
		return ".fromFile"
	}
	return ""
}

func (c *checker) headers(at string, values map[string]config.Value) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if _, err := value(c.cfg, values[name]).Header(); err != nil {
			c.wrong(at+".headers."+name+placeOf(values[name]), err, "")
		}
	}
}

func (c *checker) secret(field string, s *config.Secret) {
	if s == nil {
		return
	}
	if _, err := secretOf(c.cfg, s).Read(); err != nil {
		c.wrong(field+placeOf(config.Value{FromEnv: s.FromEnv, FromFile: s.FromFile}), err, "")
	}
}

func (c *checker) tls(field string, t *config.TLS) {
	if _, err := secret.OpenTLS(tlsOf(c.cfg, t)); err != nil {
		c.wrong(field, err, "")
	}
}

// folder checks that a file can be created in a folder, as far as that can be known without doing
// it.
func (c *checker) folder(field, path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		c.wrong(field, fmt.Errorf("the folder %s cannot be read: %w", path, reason(err)),
			"create it")
	case !info.IsDir():
		c.wrong(field, fmt.Errorf("%s is not a folder", path), "")
	}
}

// reason returns a file system's error without the path.
func reason(err error) error {
	if at, ok := err.(*os.PathError); ok {
		return at.Err
	}
	return err
}
