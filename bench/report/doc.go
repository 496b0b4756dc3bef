// Package report turns what trials have measured into tables and verdicts: medians over the rounds, by
// object and by event, and how they compare with the figures the project has set itself.
package report
