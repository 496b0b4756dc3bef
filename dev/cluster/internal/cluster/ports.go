package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"syscall"
)

// lowestPort is above the ports of well-known services on a developer's machine.
const lowestPort = 15000

// defaultEphemeral is the start of Linux' default range of ephemeral ports.
const defaultEphemeral = 32768

// loopback is the only address that anything here listens on.
const loopback = "127.0.0.1"

// freePorts returns n different TCP ports that are free on loopback.
//
// They are below the ephemeral range, not from listening on port 0: the kernel also uses ephemeral
// ports for outgoing connections, so a restarted component could find its port taken by a client,
// most likely one that was trying to reconnect to it.
func freePorts(n int) ([]int, error) {
	return freePortsIn(n, lowestPort, ephemeralStart())
}

func freePortsIn(n, low, high int) ([]int, error) {
	if high-low < n {
		return nil, fmt.Errorf("cannot find %d free ports in %d-%d: the range is too small", n, low,
			high-1)
	}
	var ports []int
	// A random order keeps clusters that start at the same time from choosing the same ports.
	for _, offset := range rand.Perm(high - low) {
		free, err := isFree(low + offset)
		if err != nil {
			return nil, err
		}
		if !free {
			continue
		}
		if ports = append(ports, low+offset); len(ports) == n {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("cannot find %d free ports in %d-%d: only %d are free", n, low, high-1,
		len(ports))
}

func isFree(port int) (bool, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.EACCES) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("cannot listen on loopback: %w", err)
	}
	return true, l.Close()
}

// ephemeralStart returns the first port that the kernel assigns by itself.
func ephemeralStart() int {
	content, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	var low, high int
	if err != nil {
		return defaultEphemeral
	}
	if _, err := fmt.Sscan(string(content), &low, &high); err != nil || low <= lowestPort+1000 {
		return defaultEphemeral // a range that starts this low leaves no room below it: ignore it
	}
	return low
}
