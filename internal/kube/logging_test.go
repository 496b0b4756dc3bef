package kube

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"k8s.io/klog/v2"
)

func TestWhatClientGoLogsIsDetail(t *testing.T) {
	defer klog.ClearLogger()
	var out bytes.Buffer
	for level, want := range map[slog.Level][]string{
		slog.LevelInfo:  {"level=ERROR"},
		slog.LevelDebug: {"level=DEBUG", "level=ERROR", "level=DEBUG", "level=DEBUG"},
	} {
		out.Reset()
		SetLogger(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level})))
		klog.InfoS("chatter")
		klog.V(6).InfoS("a token")
		klog.ErrorS(errors.New("no"), "trouble")
		klog.ErrorS(context.Canceled, "Unexpected error when reading response body")
		klog.ErrorS(&url.Error{Op: "Get", URL: "https://api/", Err: context.Canceled}, "lost")
		klog.Flush()
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != len(want) {
			t.Fatalf("at level %v:\n%s", level, out.String())
		}
		for i, line := range lines {
			if !strings.Contains(line, want[i]) {
				t.Errorf("at level %v, line %d: %s, want %s", level, i, line, want[i])
			}
		}
	}
}
