package starter

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/informerd/informerd/configs/policies"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

const policyExtension = ".yaml"

// Policies are the names of the ready policies.
func Policies() (names []string) {
	entries, _ := policies.Files.ReadDir(".") // it is in memory
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), policyExtension))
	}
	return names
}

// policyListener returns a ready policy as a listener.
func policyListener(name string) (listener, error) {
	text, err := policies.Files.ReadFile(name + policyExtension)
	if err != nil {
		return listener{}, unknownWord("--policy", "policy", name, Policies())
	}
	cfg, err := config.Loading{Policies: true, Stdin: bytes.NewReader(text)}.Load("-")
	if err != nil {
		return listener{}, err
	}
	for name := range cfg.Listeners {
		if p := cfg.PolicyOf(name); p != nil && p.InformerRef.Inline != nil {
			l := listener{name: name, why: p.Description, informer: *p.InformerRef.Inline,
				informers: p.Informers, choice: p.Select.Text}
			for i := range p.Rules {
				l.rules = append(l.rules, ruleOf(&p.Rules[i]))
			}
			return l, nil
		}
	}
	return listener{}, fmt.Errorf("--policy: %s is for an informer of a configuration", name)
}

func ruleOf(r *config.Rule) rule {
	return rule{name: r.Name, deny: r.Deny.Text, wait: shortDuration(r.For.Duration),
		severity: r.Severity, message: r.Message.Text}
}

// shortDuration returns a duration as people write it, "" for none.
func shortDuration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return document.Short(d)
}
