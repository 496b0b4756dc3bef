package main

import (
	"fmt"
	"slices"

	"github.com/informerd/informerd/bench/contender"
	"github.com/informerd/informerd/bench/objects"
	"github.com/informerd/informerd/bench/report"
	"github.com/informerd/informerd/bench/trial"
)

// The scene of growth has small objects, so that many fit into memory.
const (
	fewObjects  = 10_000
	manyObjects = 200_000
	smallSize   = 2 << 10
)

// manyInformers is how many informers share the objects of the main scene. They read the same bytes
// as one informer does, over as many connections; drop shows how much more reading takes then.
const manyInformers = 100

// Labels of core and drop in the scene of growth.
var (
	manyWorkloads = fmt.Sprintf("core, %d workloads", objects.ManyWorkloads)
	oneInformer   = "core, 1 informer"
	hundred       = fmt.Sprintf("core, %d informers", manyInformers)
)

func (r *runner) growthActs() []act {
	return slices.Repeat([]act{{contender: contender.Core, protocol: "h1", burst: r.events}},
		r.repeats)
}

// workloadActs are compared with the core in the main scene.
func (r *runner) workloadActs() []act {
	return slices.Repeat([]act{{contender: contender.Core, protocol: "h1", burst: r.events,
		label: manyWorkloads}}, r.repeats)
}

// informerActs are the same work for one informer and for many, and for the same connections
// without an informer.
func (r *runner) informerActs() []act {
	return slices.Repeat([]act{
		{contender: contender.Drop, protocol: "h1", burst: r.events, label: "drop, 1 watch"},
		{contender: contender.Core, protocol: "h1", burst: r.events, label: oneInformer},
		{contender: contender.Drop, protocol: "h1", burst: r.events, informers: manyInformers,
			label: fmt.Sprintf("drop, %d watches", manyInformers)},
		{contender: contender.Core, protocol: "h1", burst: r.events, informers: manyInformers,
			label: hundred},
	}, r.repeats)
}

// growth assembles the tables of the scene.
func (r *runner) growth(results *report.Results) (tables []report.Titled) {
	all := r.trials[sceneGrowth+"/h1"]
	of := func(is func(trial.Result) bool) report.Figures {
		return report.Summarize(slices.DeleteFunc(slices.Clone(all), func(t trial.Result) bool {
			return !is(t)
		}))
	}
	add := func(title string, rows ...report.Figures) {
		tables = append(tables,
			report.Titled{Title: "growth, " + title, Table: report.Contenders(rows)})
	}

	ofObjects := func(n int) report.Figures {
		f := of(func(t trial.Result) bool {
			return t.Objects == n && t.Contender == contender.Core
		})
		f.Contender = fmt.Sprintf("%s, %d objects", contender.Core, n)
		return f
	}
	if few, many := ofObjects(fewObjects), ofObjects(manyObjects); few.Objects > 0 &&
		many.Objects > 0 {
		results.Few, results.Many = few, many
		add(fmt.Sprintf("objects, pods of %d KB, %d events", smallSize>>10, r.events), few, many)
	}

	work := fmt.Sprintf("%d pods of %d KB, %d events", r.objects, r.size>>10, r.events)
	labelled := func(label string) report.Figures {
		return of(func(t trial.Result) bool { return t.Contender == label })
	}
	if few, many := results.Main[contender.Core], labelled(manyWorkloads); few.Objects > 0 &&
		many.Objects > 0 {
		results.ManyWorkloads, results.Workloads = many, objects.ManyWorkloads
		few.Contender = fmt.Sprintf("%s, %d workloads", contender.Core, objects.Workloads)
		add("workloads, "+work, few, many)
	}

	if one, many := labelled(oneInformer), labelled(hundred); one.Objects > 0 && many.Objects > 0 {
		results.OneInformer, results.ManyInformers, results.Informers = one, many, manyInformers
		var rows []report.Figures
		for _, a := range r.informerActs()[:4] {
			rows = append(rows, labelled(a.label))
		}
		add("informers, "+work+" among all", rows...)
	}
	return tables
}
