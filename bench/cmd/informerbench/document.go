package main

import (
	"fmt"
	"time"

	"github.com/informerd/informerd/bench/report"
	"github.com/informerd/informerd/bench/trial"
)

// document assembles the results of the trials.
func (r *runner) document(started time.Time, machine report.Machine) report.Document {
	doc := report.Document{Machine: machine, Began: started, Took: time.Since(started),
		Rounds: r.rounds, Problems: r.problems}
	var results report.Results
	for _, protocol := range r.protocols {
		rows := summarize(r.trials[sceneMain+"/"+protocol])
		if len(rows) == 0 {
			continue
		}
		doc.Tables = append(doc.Tables, report.Titled{
			Title: fmt.Sprintf("%d pods of %d KB, %d events, %s", r.objects, r.size>>10, r.events,
				protocolNames[protocol]),
			Table: report.Contenders(rows),
		})
		if singles := report.Singles(rows); len(singles.Rows) > 0 {
			doc.Tables = append(doc.Tables,
				report.Titled{Title: fmt.Sprintf("single events, %v apart, %s", singleGap,
					protocolNames[protocol]), Table: singles})
		}
		by := map[string]report.Figures{}
		for _, f := range rows {
			by[f.Contender] = f
		}
		switch {
		case results.Main == nil: // the first protocol's table is the main one
			results.Main = by
		case protocol == "h2":
			results.TLS = by
		}
	}
	if rows, kinds := summarize(r.trials[sceneListeners+"/h1"]), r.furtherKinds(); len(rows) == 1+
		len(kinds) {
		results.OneListener, results.Further = rows[0], r.others
		for i, kind := range kinds {
			results.ManyListeners = append(results.ManyListeners,
				report.FurtherListeners{Asking: kind.asking, Most: kind.most, Figures: rows[1+i]})
		}
		doc.Tables = append(doc.Tables,
			report.Titled{Title: fmt.Sprintf("one listener, and %d further ones that match nothing",
				r.others), Table: report.Contenders(rows)})
	}
	doc.Tables = append(doc.Tables, r.growth(&results)...)
	doc.Tables = append(doc.Tables, r.checkpoints(&results)...)
	results.Passed, results.Delivered = r.passed, r.delivered
	if len(r.passed) > 0 {
		doc.Tables = append(doc.Tables, report.Titled{Title: "events from a full buffer to outputs",
			Table: report.Throughputs(r.passed)})
	}
	if results.Starts = r.starts; len(r.starts) > 0 {
		doc.Tables = append(doc.Tables, report.Titled{Title: "starts with many listeners",
			Table: report.Starts(r.starts)})
	}
	if len(r.delivered) > 0 {
		doc.Tables = append(doc.Tables, report.Titled{Title: "outputs to brokers",
			Table: report.Deliveries(r.delivered)})
	}
	if results.Matched, results.Hostile = r.matched, r.hostile; len(r.matched) > 0 {
		doc.Tables = append(doc.Tables,
			report.Titled{Title: "matching events, written as CloudEvents with the object and its last state", Table: report.MatchedEvents(r.matched)})
	}
	if len(r.hostile) > 0 {
		doc.Tables = append(doc.Tables, report.Titled{Title: "costly input",
			Table: report.Inputs(r.hostile)})
	}
	doc.Kinds = r.collections()
	doc.Verdicts = report.Verdicts(results)
	return doc
}

var protocolNames = map[string]string{"h1": "plain HTTP/1.1", "h2": "HTTP/2 over TLS"}

// summarize returns a row for each contender, in the order in which they first ran.
func summarize(trials []trial.Result) (rows []report.Figures) {
	by := map[string][]trial.Result{}
	var order []string
	for _, t := range trials {
		if by[t.Contender] == nil {
			order = append(order, t.Contender)
		}
		by[t.Contender] = append(by[t.Contender], t)
	}
	for _, name := range order {
		rows = append(rows, report.Summarize(by[name]))
	}
	return rows
}
