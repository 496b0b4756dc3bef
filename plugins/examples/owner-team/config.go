package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
)

// config is the handler's configuration.
type config struct {
	Reasons     []string `json:"reasons"`
	Team        string   `json:"team"`
	RepeatAfter string   `json:"repeatAfter"`
	// The names of the informers.
	ReplicaSets string `json:"replicaSets"`
	Deployments string `json:"deployments"`
	Namespaces  string `json:"namespaces"`

	repeat time.Duration
}

func readConfig() (config, error) {
	c := config{
		Reasons: []string{"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull",
			"InvalidImageName", "CreateContainerConfigError"},
		Team: "team", RepeatAfter: "1h",
		ReplicaSets: "replicasets", Deployments: "deployments", Namespaces: "namespaces",
	}
	if err := informerd.Config(&c); err != nil {
		return c, err
	}
	if len(c.Reasons) == 0 {
		return c, errors.New("reasons is empty: name at least one, such as CrashLoopBackOff")
	}
	for i, reason := range c.Reasons {
		switch {
		case reason == "" || strings.ContainsAny(reason, " \t"):
			return c, fmt.Errorf(
				"reasons: %q is not a reason: it is one word, as in CrashLoopBackOff", reason)
		case slices.Contains(c.Reasons[:i], reason):
			return c, fmt.Errorf("reasons: duplicate %q", reason)
		}
	}
	if c.Team == "" || strings.ContainsAny(c.Team, `"\[] `) {
		return c, fmt.Errorf("team: %q is not the key of a label or annotation", c.Team)
	}
	var err error
	if c.repeat, err = time.ParseDuration(c.RepeatAfter); err != nil || c.repeat < time.Minute {
		return c, fmt.Errorf("repeatAfter is %q, it must be a duration of at least 1m, such as 1h",
			c.RepeatAfter)
	}
	return c, nil
}

// reports reports whether a container that waits for this reason is reported.
func (c config) reports(reason string) bool {
	return reason != "" && slices.Contains(c.Reasons, reason)
}
