package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var (
	releaseHead = regexp.MustCompile(
		`^## \[(?:Unreleased|([0-9]+\.[0-9]+\.[0-9]+))\](?: - (\d{4}-\d\d-\d\d))?$`)
	partHead = regexp.MustCompile(`^### (Added|Changed|Deprecated|Removed|Fixed|Security)$`)
)

// The changelog has the form that its head names, and its newest release is what charts install.
func TestChangelog(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	newest, before, heads := "dev", "", 0 // what an image of no release is called
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "### ") && !partHead.MatchString(line):
			t.Errorf("line %d: %q is not a part of a release", i+1, line)
		case line == "## Size": // what go test ./internal/archtest reads
		case strings.HasPrefix(line, "## "):
			m := releaseHead.FindStringSubmatch(line)
			if m == nil || (m[1] == "") != (m[2] == "") || m[1] == "" && heads > 0 {
				t.Errorf("line %d: %q is not the head of a release", i+1, line)
				continue
			}
			if heads++; m[1] == "" {
				continue
			}
			if newest == "dev" {
				newest = m[1]
			}
			_, err := time.Parse(time.DateOnly, m[2])
			if err != nil || before != "" && m[2] > before {
				t.Errorf("line %d: releases are in the order of their dates, newest first", i+1)
			}
			before = m[2]
		}
	}
	if heads == 0 {
		t.Error("there is no release, and no head for what is not released")
	}
	charts, err := filepath.Glob("../../deploy/*/*/Chart.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range charts {
		chart, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(`(?m)^appVersion: "?v?([^"\s]+)"?$`).FindSubmatch(chart)
		if m == nil || string(m[1]) != newest {
			t.Errorf("%s installs %q, and the newest release in CHANGELOG.md is %s", path, m, newest)
		}
	}
}
