// Package monitoring has the source of Grafana's dashboard in deploy. Its tests check the dashboard
// and the alerts against what a real informerd in trouble shows.
package monitoring

import (
	"encoding/json"
	"strings"
)

// row is a line of panels below a heading.
type row struct {
	title  string
	panels []panel
}

// panel is a plot of some queries. Their legends are made of labels.
type panel struct {
	title, unit string
	queries     []query
}

type query struct{ expr, legend string }

const (
	byListener = "{{listener}}"
	byOutput   = "{{listener}} to {{output}}"
	byResource = "{{resource}} {{namespace}}"
)

// rows are the whole dashboard. $listener and $rate are replaced by Grafana.
var rows = []row{
	{"Is it well?", []panel{
		{"Listeners in trouble", "short", []query{
			{`informerd_output_paused{listener=~"$listener"} == 1`, "paused: " + byOutput},
			{`informerd_handler_paused{listener=~"$listener"} == 1`, "handler paused: " + byListener},
			{`informerd_informer_failing > 0`, "failing: " + byResource},
			{`informerd_dead_letters{listener=~"$listener"} > 0`, "dead letters: " + byListener}}},
		{"Events by operation", "ops", []query{
			{`sum by (op) (rate(informerd_events_total{listener=~"$listener"}[$rate]))`, "{{op}}"}}},
		{"Leader, last reload", "short", []query{
			{`informerd_leader`, "leads: {{instance}}"},
			{`informerd_config_last_reload_successful`, "reloaded: {{instance}}"}}},
	}},
	{"Informers", []panel{
		{"Nothing heard for", "s", []query{{`informerd_informer_staleness_seconds`, byResource}}},
		{"Objects", "short", []query{{`informerd_informer_objects`, byResource}}},
		{"Lists that were not the first", "ops", []query{
			{`sum by (resource, reason) (rate(informerd_informer_relists_total[$rate]))`,
				"{{resource}} {{reason}}"}}},
		{"Received", "Bps", []query{
			{`rate(informerd_informer_received_bytes_total[$rate])`, byResource}}},
	}},
	{"Listeners", []panel{
		{"Events taken", "ops", []query{
			{`sum by (listener) (rate(informerd_events_total{listener=~"$listener"}[$rate]))`,
				byListener}}},
		{"Oldest event in the buffer", "s", []query{
			{`informerd_buffer_oldest_seconds{listener=~"$listener"}`, byListener}}},
		{"Merged and dropped", "ops", []query{
			{`rate(informerd_events_coalesced_total{listener=~"$listener"}[$rate])`,
				"merged: " + byListener},
			{`rate(informerd_events_dropped_total{listener=~"$listener"}[$rate])`,
				"dropped: " + byListener}}},
		{"Open violations", "short", []query{
			{`informerd_listener_violations{listener=~"$listener"}`, byListener}}},
	}},
	{"Handlers", []panel{
		{"Duration, 99th percentile", "s", []query{
			{`histogram_quantile(0.99, sum by (listener, le) (rate(` +
				`informerd_handler_duration_seconds_bucket{listener=~"$listener"}[$rate])))`,
				byListener}}},
		{"Crashes", "ops", []query{
			{`sum by (listener, reason) (rate(` +
				`informerd_handler_crashes_total{listener=~"$listener"}[$rate])) > 0`,
				"{{listener}} {{reason}}"}}},
		{"Memory", "bytes", []query{
			{`informerd_handler_memory_bytes{listener=~"$listener"}`, byListener}}},
		{"Fuel", "ops", []query{
			{`rate(informerd_handler_fuel_total{listener=~"$listener"}[$rate])`, byListener}}},
	}},
	{"Outputs", []panel{
		{"Lag, 99th percentile", "s", []query{
			{`histogram_quantile(0.99, sum by (listener, output, le) (rate(` +
				`informerd_output_lag_seconds_bucket{listener=~"$listener"}[$rate])))`, byOutput}}},
		{"Oldest event that waits", "s", []query{
			{`informerd_output_oldest_seconds{listener=~"$listener"}`, byOutput}}},
		{"Attempts by outcome", "ops", []query{
			{`sum by (outcome) (rate(` +
				`informerd_output_attempts_total{listener=~"$listener"}[$rate]))`, "{{outcome}}"}}},
		{"New dead letters", "ops", []query{
			{`sum by (listener, output) (rate(` +
				`informerd_output_letters_total{listener=~"$listener"}[$rate])) > 0`, byOutput}}},
	}},
	{"informerd itself", []panel{
		{"Memory", "bytes", []query{
			{`process_resident_memory_bytes * on (instance) informerd_build_info`, "{{instance}}"}}},
		{"Processors", "short", []query{
			{`rate(process_cpu_seconds_total[$rate]) * on (instance) informerd_build_info`,
				"{{instance}}"}}},
		{"Requests to the API server", "ops", []query{
			{`sum by (method, code) (rate(informerd_kube_requests_total[$rate]))`,
				"{{method}} {{code}}"}}},
		{"Age of the checkpoint", "s", []query{
			{`time() - informerd_checkpoint_current_timestamp_seconds`, "{{instance}}"}}},
	}},
}

// object is one of JSON.
type object = map[string]any

// Dashboard returns the dashboard as JSON.
func Dashboard() ([]byte, error) {
	var panels []object
	const width, height = 24, 7
	y, id := 0, 0
	for _, r := range rows {
		id++
		panels = append(panels, object{"id": id, "type": "row", "title": r.title, "panels": []any{},
			"gridPos": object{"x": 0, "y": y, "w": width, "h": 1}})
		y++
		each := width / len(r.panels)
		for i, p := range r.panels {
			id++
			panels = append(panels, p.json(id, object{"x": i * each, "y": y, "w": each, "h": height}))
		}
		y += height
	}
	out, err := json.MarshalIndent(object{
		"title": "informerd", "uid": "informerd", "schemaVersion": 39, "editable": true,
		"tags": []string{"informerd"}, "time": object{"from": "now-1h", "to": "now"},
		"refresh": "30s", "panels": panels,
		"templating": object{"list": []object{
			{"name": "datasource", "type": "datasource", "query": "prometheus"},
			{"name": "listener", "type": "query", "datasource": source, "multi": true,
				"includeAll": true, "allValue": ".*", "refresh": 2,
				"query":      "label_values(informerd_events_total, listener)",
				"definition": "label_values(informerd_events_total, listener)"},
		}},
	}, "", "  ")
	return append(out, '\n'), err
}

var source = object{"type": "prometheus", "uid": "${datasource}"}

func (p panel) json(id int, at object) object {
	var targets []object
	for i, q := range p.queries {
		targets = append(targets, object{"refId": string(rune('A' + i)), "datasource": source,
			"expr":         strings.ReplaceAll(q.expr, "$rate", "$__rate_interval"),
			"legendFormat": q.legend})
	}
	return object{"id": id, "type": "timeseries", "title": p.title, "gridPos": at,
		"datasource": source, "targets": targets,
		"fieldConfig": object{"defaults": object{"unit": p.unit, "min": 0},
			"overrides": []any{}}}
}
