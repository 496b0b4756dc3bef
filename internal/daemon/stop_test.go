package daemon

import (
	"io"
	"net"
	"strings"
	"testing"
)

// While listeners finish what they have, the intake has ended and requests are answered; behind
// that nobody answers any more.
func TestStoppingFollowsTheEvents(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{"pods": {
		named("shop", "web", "", ""), named("shop", "till", "", ""), named("shop", "db", "", "")}})
	cfg := parse(t, "http: {address: \"127.0.0.1:0\"}\nshutdown: {drain: 1h}\n"+head+
		"  a: {informer: {resource: pods}, outputs: [out]}\n")
	reader, writer := io.Pipe()
	d := startTo(t, cfg, k, writer)
	if _, err := reader.Read(make([]byte, 1)); err != nil { // and no more of the first event
		t.Fatal(err)
	}
	d.cancel()
	d.log.waitFor(t, "the intake has ended")
	if got := d.ask(t, "/livez"); got != "200 ok" {
		t.Errorf("while listeners finish: %q", got)
	}
	if log := d.log.String(); strings.Contains(log, "listener stopped") {
		t.Error(log)
	}
	rest := make(chan string)
	go func() {
		text, _ := io.ReadAll(reader) // until the writer is closed
		rest <- string(text)
	}()
	if err := <-d.done; err != nil {
		t.Error(err)
	}
	if err := writer.Close(); err != nil {
		t.Error(err)
	}
	if got := <-rest; strings.Count(got, "\n") != 3 {
		t.Errorf("what was buffered when it was stopped has not all come: %s", got)
	}
	if log := d.log.String(); !strings.Contains(log, "listener stopped") ||
		strings.Contains(log, "unfinished=") || strings.Contains(log, "level=WARN") {
		t.Error(log)
	}
	if connection, err := net.Dial("tcp",
		answering.FindStringSubmatch(d.log.String())[1]); err == nil {
		t.Error("requests are answered after the end", connection.Close())
	}
}

// An output that cannot be closed holds up the end no longer than the configuration says, and is
// named.
func TestClosingTakesAsLongAsItMay(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{"pods": {named("shop", "web", "", "")}})
	cfg := parse(t, "shutdown: {drain: 0s, close: 100ms}\n"+head+
		"  a: {informer: {resource: pods}, outputs: [out]}\n")
	reader, writer := io.Pipe() // of which nobody reads more than the beginning
	d := startTo(t, cfg, k, writer)
	if _, err := reader.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	d.stop(t)
	log := d.log.String()
	if i, j := strings.Index(log, `msg="listener stopped"`),
		strings.Index(log, `msg="not everything could be closed in time" error="output \"out\": `); i < 0 || j < i {
		t.Error(log)
	}
	if !strings.Contains(log, "unfinished=1") {
		t.Errorf("what was not finished is not counted: %s", log)
	}
	if err := reader.Close(); err != nil { // lets the writer end
		t.Error(err)
	}
}
