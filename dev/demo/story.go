package main

import (
	"context"
	"fmt"
)

const (
	oldImage = "nginx:1.28"
	newImage = "nginx:1.29"
	// restarts is one more than the threshold of the listener crash-loops.
	restarts = 4
)

// story is what happens on the cluster, and what informerd must print in response.
func story(ctx context.Context, s *stage) error {
	cluster, err := connect(s.demo.kubeconfig())
	if err != nil {
		return err
	}
	if err := s.Do(ctx, act{
		title: "create the Deployment db, before informerd runs",
		do: func(ctx context.Context) error {
			return cluster.Create(ctx, "db", "postgres:18", 1)
		},
	}); err != nil {
		return err
	}
	if err := s.StartInformerd(); err != nil {
		return err
	}
	for _, a := range changes(cluster) {
		if err := s.Do(ctx, a); err != nil {
			return err
		}
	}
	pods, err := rollCall(ctx, s, cluster)
	if err != nil {
		return err
	}
	for n := 1; n <= restarts; n++ {
		if err := s.Do(ctx, restart(cluster, pods[0], n)); err != nil {
			return err
		}
	}
	for _, name := range []string{"web", "db"} {
		if err := s.Do(ctx, act{
			title: "delete the Deployment " + name,
			do:    func(ctx context.Context) error { return cluster.Delete(ctx, name) },
			effects: []effect{{"the delete of " + name, func(e cloudEvent) bool {
				return rollout(e, typeDeleted, name)
			}}},
		}); err != nil {
			return err
		}
	}
	return nil
}

// changes returns the changes to Deployments, for the listener rollouts.
func changes(cluster *api) []act {
	return []act{
		{
			title: "the first list: what is there already comes as an add, marked initial",
			effects: []effect{{"the initial add of db", func(e cloudEvent) bool {
				return rollout(e, typeAdded, "db") && e.Initial
			}}},
		},
		{
			title: "create the Deployment web, 2 replicas of " + oldImage,
			do: func(ctx context.Context) error {
				return cluster.Create(ctx, "web", oldImage, 2)
			},
			effects: []effect{{"the add of web", func(e cloudEvent) bool {
				return rollout(e, typeAdded, "web") && !e.Initial
			}}},
		},
		{
			title: "scale web to 4 replicas",
			do:    func(ctx context.Context) error { return cluster.Scale(ctx, "web", 4) },
			effects: []effect{{"an update of web from 2 to 4 replicas", func(e cloudEvent) bool {
				c, ok := e.Change()
				return ok && rollout(e, typeUpdated, "web") && c.Old != nil &&
					c.Old.Spec.Replicas == 2 && c.Object.Spec.Replicas == 4
			}}},
		},
		{
			title: "change the image of web to " + newImage,
			do: func(ctx context.Context) error {
				return cluster.SetImage(ctx, "web", newImage)
			},
			effects: []effect{{"an update of web's image", func(e cloudEvent) bool {
				c, ok := e.Change()
				return ok && rollout(e, typeUpdated, "web") && c.Old != nil &&
					c.Old.image() == oldImage && c.Object.image() == newImage
			}}},
		},
	}
}

// rollCall waits for web's pods to run and then for a resync of each.
func rollCall(ctx context.Context, s *stage, cluster *api) (pods []string, err error) {
	if err := s.Do(ctx, act{
		title: "wait until 4 pods run the new image (their many updates are filtered out)",
		do: func(ctx context.Context) (err error) {
			pods, err = cluster.RunningPods(ctx, "web", newImage, 4)
			return err
		},
	}); err != nil {
		return nil, err
	}
	var effects []effect
	for _, pod := range pods {
		effects = append(effects, effect{"a resync of pod " + pod, func(e cloudEvent) bool {
			return e.Listener == "roll-call" && e.Type == typeResynced &&
				e.Subject == podSubject(pod)
		}})
	}
	return pods, s.Do(ctx, act{
		title:    "wait for the resync that the listener roll-call gets every 10 s, and no other listener",
		effects:  effects,
		patience: rollCallPatience,
	})
}

// restart restarts a pod's container for the nth time. After the last restart the handler must emit
// an event.
func restart(cluster *api, pod string, n int) act {
	a := act{
		title: fmt.Sprintf("the container of pod %s restarts (%d)", pod, n),
		do:    func(ctx context.Context) error { return cluster.Restart(ctx, pod, "web", n) },
	}
	if n == restarts {
		a.title += ": more often than the WASM handler of crash-loops accepts"
		a.effects = []effect{{fmt.Sprintf("an event of the handler about %d restarts", n),
			func(e cloudEvent) bool {
				f, ok := e.Finding()
				return ok && e.Listener == "crash-loops" && e.Subject == podSubject(pod) &&
					f.Restarts == n
			}}}
	}
	return a
}

// rollout reports whether an event is about the Deployment and from the listener rollouts.
func rollout(e cloudEvent, kind, deployment string) bool {
	return e.Listener == "rollouts" && e.Type == kind && e.Subject == "deployments.apps/"+namespace+
		"/"+deployment
}

func podSubject(pod string) string { return "pods/" + namespace + "/" + pod }
