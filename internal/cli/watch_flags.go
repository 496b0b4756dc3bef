package cli

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/informerd/informerd/internal/config"
)

// flags are those that the fields of a listener or the cluster come from.
var watchFlags = []struct{ field, flag string }{
	{".informer.resource", "the resource"},
	{".informer.namespaces", "--namespace"},
	{".informer.labelSelector", "--selector"},
	{".select", "--select"},
	{".filter", "--filter"},
	{".rules", "--rules"},
	{"cluster.kubeconfig", "--kubeconfig"},
	{"cluster.context", "--context"},
}

// aboutListener begins messages about expressions. Nobody has named the listener.
var aboutListener = regexp.MustCompile(`^listener "[^"]*": `)

// OfFlag returns a mistake in a configuration that a Query has made as one in the command's flags:
// nobody has seen the text.
func ofWatchFlag(mistake config.Error) config.Error {
	mistake.File, mistake.Line, mistake.Column = "", 0, 0
	for _, f := range watchFlags {
		if strings.Contains(mistake.Field, f.field) {
			mistake.Message = f.flag + ": " + aboutListener.ReplaceAllString(mistake.Message, "")
			break
		}
	}
	return mistake
}

// OfFlags does the same with several.
func ofWatchFlags(mistakes config.Errors) config.Errors {
	all := make(config.Errors, len(mistakes))
	for i, mistake := range mistakes {
		all[i] = ofWatchFlag(mistake)
	}
	return all
}

// Policy reads a policy file. The error is a config.Errors if the file has mistakes.
func readPolicy(path string) (*config.Policy, error) {
	cfg, err := config.Loading{Policies: true}.Load(path)
	if err != nil {
		return nil, err
	}
	for name := range cfg.Listeners {
		if p := cfg.PolicyOf(name); p != nil {
			return p, nil
		}
	}
	return nil, config.Errors{{File: path,
		Message: fmt.Sprintf("it is a configuration, and must be a policy: kind: %s",
			config.PolicyKind),
		Hint: "run it with informerd run"}}
}
