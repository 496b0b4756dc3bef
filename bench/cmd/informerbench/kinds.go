package main

import (
	"context"
	"slices"
	"time"

	"github.com/informerd/informerd/bench/contender"
	"github.com/informerd/informerd/bench/objects"
	"github.com/informerd/informerd/bench/report"
)

// kindRow is a collection of the scene of kinds.
type kindRow struct {
	id, title string
	kind      *objects.Kind
	size      int
	share     float64 // of -kind-objects: more for small objects, fewer for large ones
	churn     bool
	memory    float64 // required factor below client-go's dynamic informer
}

// kindRows are all collections of the scene. The required factor for memory is smallest for
// unrelated objects, larger for objects that differ in a few fields, and largest for replicas.
var kindRows = []kindRow{
	row(objects.Pods, 17),
	row(objects.Widgets, 17),
	row(objects.SharedLabelPods, 12),
	sized(row(objects.ManyWorkloadPods, 5), 2), // otherwise each workload would have one replica
	row(objects.JobPods, 12),
	churned(row(objects.JobPods, 12)),
	row(objects.Nodes, 12),
	row(objects.EndpointSlices, 5),
	sized(row(objects.Events, 5), 2),
	sized(row(objects.Leases, 5), 2),
	row(objects.Secrets, 5),
	row(objects.Mixed, 5),
	row(objects.UnlikeConfigMaps, 5),
	large(row(objects.UnlikeConfigMaps, 5)),
}

// kindRest is a short rest, enough where the steady memory is not shown.
const kindRest = 500 * time.Millisecond

// quickKinds are those of a quick run: one of each sort that differs from replicas.
const quickKinds = "job-pods,nodes,events,unlike-configmaps"

func row(kind *objects.Kind, memory float64) kindRow {
	return kindRow{id: kind.ID, title: kind.Title, kind: kind, size: kind.Size, share: 1,
		memory: memory}
}

func sized(r kindRow, share float64) kindRow {
	r.share = share
	return r
}

func churned(r kindRow) kindRow {
	r.id, r.title, r.churn = r.id+"-churn", r.title+" that never come twice", true
	return r
}

func large(r kindRow) kindRow {
	r.id, r.title, r.size, r.share = "large-"+r.id, r.title+", 1 MB", 1<<20, 1.0/160
	return r
}

func kindIDs() (ids []string) {
	for _, r := range kindRows {
		ids = append(ids, r.id)
	}
	return ids
}

// performKinds runs the contenders on each collection, one after the other. Drop and core
// alternate, as in the main scene; client-go's informers run once, since they do so much that noise
// is negligible.
func (r *runner) performKinds(ctx context.Context) error {
	for _, row := range kindRows {
		if !slices.Contains(r.kinds, row.id) {
			continue
		}
		n := max(1, int(row.share*float64(r.kindObjects)))
		spec := stageSpec{kind: row.kind.ID, objects: n, size: row.size, events: n,
			churn: row.churn}
		var acts []act
		for again := range r.repeats {
			for _, name := range kindContenders {
				cheap := name == contender.Drop || name == contender.Core
				if slices.Contains(r.contenders, name) && contender.Supports(name, row.kind) &&
					(cheap || again == 0) {
					a := act{contender: name, protocol: "h1", burst: n}
					if again == 0 && name != contender.Core {
						a.cool = r.cool
					}
					acts = append(acts, a)
				}
			}
		}
		if r.cool > 0 && slices.Contains(r.contenders, contender.Core) {
			acts = append(acts, act{contender: contender.Core, protocol: "h1", burst: n,
				cool: r.cool, label: coldCore})
		}
		if r.cool > afterList && slices.Contains(r.contenders, contender.Core) {
			acts = append(acts, act{contender: contender.Core, protocol: "h1", cool: afterList,
				asConfigured: true, label: listedCore})
		}
		if len(acts) == 0 {
			continue
		}
		if err := r.scene(ctx, sceneKinds+"/"+row.id, spec, acts, 1, false); err != nil {
			return err
		}
	}
	return nil
}

// coldCore is the core in a separate trial, in which objects are compressed soon, perhaps before
// the burst, so that nothing else is measured there.
const coldCore = "core, cold"

// listedCore is the core in a trial of the first list alone, as it is without settings, whose memory
// is read afterList.
const (
	listedCore = "core, listed"
	afterList  = 5 * time.Second
)

var kindContenders = []string{contender.Drop, contender.Dynamic, contender.Core}

// collections assembles the results of the scene.
func (r *runner) collections() (all []report.Collection) {
	for _, row := range kindRows {
		rows := summarize(r.trials[sceneKinds+"/"+row.id+"/h1"])
		if len(rows) == 0 {
			continue
		}
		c := report.Collection{Name: row.title, Size: row.size, New: row.churn, Memory: row.memory,
			By: map[string]report.Figures{}}
		for _, f := range rows {
			c.By[f.Contender] = f
		}
		if cold, ok := c.By[coldCore]; ok {
			ours := c.By[contender.Core]
			ours.ColdRSS, ours.CoolCPU = cold.ColdRSS, cold.CoolCPU
			c.By[contender.Core] = ours
		}
		if listed, drop := c.By[listedCore].ColdRSS, c.By[contender.Drop].ColdRSS; listed > 0 && drop > 0 {
			n := max(1, int(row.share*float64(r.kindObjects)))
			c.Listed = max(listed-drop, 1) / float64(n*row.size)
		}
		all = append(all, c)
	}
	return all
}
