package cli

import (
	"bytes"
	"encoding/json"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// What the linker did not set comes from what the go command noted.
func TestBuildInfo(t *testing.T) {
	info := &debug.BuildInfo{
		Main: debug.Module{Version: "v0.1.0"},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"},
			{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}},
		Deps: []*debug.Module{{Path: "k8s.io/client-go", Version: "v0.37.2"},
			{Path: "github.com/tetratelabs/wazero", Version: "v1.9.0",
				Replace: &debug.Module{Path: "github.com/tetratelabs/wazero", Version: "v1.9.1"}},
			{Path: "github.com/spf13/cobra", Version: "v1.10.0"}},
	}
	b := buildOf(info, unreleased, "", "")
	if b.Version != "v0.1.0" || b.Commit != "0123456789abcdef" ||
		b.Date != "2026-01-02T03:04:05Z" || len(b.Modules) != 2 || b.Modules["github.com/tetratelabs/wazero"] != "v1.9.1" {
		t.Errorf("got %+v", b)
	}
	b = buildOf(info, "v0.2.0", "fedcba", "1767323045")
	if b.Version != "v0.2.0" || b.Commit != "fedcba" || b.Date != "2026-01-02T03:04:05Z" {
		t.Errorf("what the linker set does not come first: %+v", b)
	}
	if b := buildOf(nil, "v0.2.0", "", "x"); b.Version != "v0.2.0" || b.Modules == nil {
		t.Errorf("without what the go command noted: %+v", b)
	}
}

func TestVersionJSON(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := Main([]string{"version", "-o", "json"}, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit %d: %s", code, &stderr)
	}
	var b build
	if err := json.Unmarshal(stdout.Bytes(), &b); err != nil {
		t.Fatal(err)
	}
	if b.Version == "" || !strings.HasPrefix(b.Go, "go1.") || !strings.Contains(b.Platform, "/") ||
		!slices.Equal(b.APIVersions, []string{"informerd.dev/v1alpha1"}) ||
		!slices.Equal(b.HandlerABIs, []string{"informerd/v1"}) ||
		!slices.Contains(b.HostModules, "informerd/event.v1") {
		t.Errorf("got %s", &stdout)
	}
}
