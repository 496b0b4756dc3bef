package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/rogpeppe/go-internal/testscript"
)

// natsServer starts a NATS with JetStream, and puts its URL into a variable.
func natsServer(ts *testscript.TestScript, args []string) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT,
		JetStream: true, StoreDir: ts.MkAbs("nats"), SyncAlways: true, NoSigs: true})
	ts.Check(err)
	s.Start()
	ts.Defer(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(20 * time.Second) {
		ts.Fatalf("NATS does not start")
	}
	ts.Setenv(args[0], s.ClientURL())
}

// guest builds a handler of a file in Go.
func guest(ts *testscript.TestScript, args []string) {
	dir := ts.MkAbs("guest")
	ts.Check(os.Mkdir(dir, 0o755))
	source, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(dir, "main.go"), source, 0o600))
	const sdk = "github.com/informerd/informerd/plugins/sdk/go"
	ts.Check(os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module guest\n\ngo 1.26.0\n\nrequire "+sdk+
		" v0.0.0\n\nreplace "+sdk+" => "+filepath.Join(root(), "plugins", "sdk", "go")+"\n"), 0o600))
	build := exec.Command("go", "build", "-trimpath", "-buildmode=c-shared", "-o", ts.MkAbs(args[0]), ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		ts.Fatalf("%v\n%s", err, out)
	}
}
