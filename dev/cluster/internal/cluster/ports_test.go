package cluster

import (
	"net"
	"testing"
)

func TestFreePortsAreDistinctAndBelowTheEphemeralRange(t *testing.T) {
	ports, err := freePorts(5)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[int]bool)
	for _, port := range ports {
		if seen[port] {
			t.Errorf("port %d was returned twice", port)
		}
		seen[port] = true
		if port < lowestPort || port >= ephemeralStart() {
			t.Errorf("port %d is not in %d-%d", port, lowestPort, ephemeralStart()-1)
		}
	}
	if len(seen) != 5 {
		t.Errorf("got %d ports, want 5", len(seen))
	}
}

func TestFreePortsLeavesOutWhatIsTaken(t *testing.T) {
	l, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	taken := l.Addr().(*net.TCPAddr).Port

	if ports, err := freePortsIn(1, taken, taken+1); err == nil {
		t.Errorf("got %v, although %d, the only one in the range, is taken", ports, taken)
	}
	if _, err := freePortsIn(2, taken, taken+1); err == nil {
		t.Error("got two ports from a range of one")
	}
}
