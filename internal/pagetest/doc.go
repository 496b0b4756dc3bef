// Package pagetest runs what the pages of the documentation show. It has no other code.
//
// TestPages walks every Markdown file of the repository. Each fenced block must be run by
// something, according to its language and the words behind it; a block that nothing runs fails the
// test with its place.
//
//	yaml               a configuration or policy: informerd validate --strict accepts it. Some fields
//	                   of a configuration: the rest is added (see complete). Kubernetes objects: their
//	                   types have the fields.
//	yaml warned        validate has warnings, and no mistakes
//	yaml wrong         validate refuses it; "wrong" in the name of its file does as well
//	yaml input         another file, which commands of the page read
//	console            the commands behind "$ " are run in a shell, in a folder with the files that
//	                   the page names, and print what the page shows; a line "…" is any lines. Once
//	                   they differ, make docs writes what they print.
//	console cluster    internal/e2e runs them on a control plane: see TestPages there
//	json cluster       an event of the running informerd there, whole or in part
//	sh                 commands without output: those of informerd are parsed, targets of make exist
//	expr KIND          expressions, one a line, are compiled: filter (the default), select, deny,
//	                   message, when, data or text
//	events [LISTENER]  what happens to objects and what comes out, for the configuration above:
//	                   internal/daemon runs it
//	promql             expressions of Prometheus: dev/tools/monitoring parses them, and the metrics
//	                   exist
//	diagram            a picture made of characters
//	ANY from=PATH      the text is in that file of the repository, which something else runs
//
// What is between <!-- begin NAME --> and <!-- end NAME --> is compared by the test that generates
// it. A block may have the name of a file as its first line, a comment such as "# informerd.yaml".
package pagetest
