package outbound

import (
	"net/netip"
	"slices"
	"strings"
)

// metadata are the addresses of cloud providers' metadata services that are not link-local.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("100.100.100.200/32"),     // Alibaba Cloud
	netip.MustParsePrefix("168.63.129.16/32"),       // Azure
	netip.MustParsePrefix("192.0.0.192/32"),         // Oracle Cloud
	netip.MustParsePrefix("fd00:c1::a9fe:a9fe/128"), // Oracle Cloud
	netip.MustParsePrefix("fd00:ec2::/32"),          // AWS: metadata, credentials of EKS, names
	netip.MustParsePrefix("fd20:ce::254/128"),       // Google Cloud
	netip.MustParsePrefix("fd00:42::42/128"),        // Scaleway
}

// metadataNames are the names of metadata services.
var metadataNames = []string{
	"instance-data", "instance-data.ec2.internal", "metadata", "metadata.goog",
	"metadata.google.internal",
	"metadata.packet.net", "metadata.platformequinix.com", "metadata.tencentyun.com",
}

// thisMachine reports whether a name always means the machine itself.
func thisMachine(host string) bool {
	return host == "localhost" || strings.HasSuffix(host, ".localhost") ||
		host == "localhost.localdomain" ||
		host == "ip6-localhost" || host == "ip6-loopback"
}

var (
	// not only its first address means this machine to some systems
	thisNetwork = netip.MustParsePrefix("0.0.0.0/8")
	broadcast   = netip.MustParseAddr("255.255.255.255")
)

// sharedNetwork is for networks behind an operator's translation, which clusters and cloud services
// use as well.
var sharedNetwork = netip.MustParsePrefix("100.64.0.0/10")

// isPrivate reports whether an address is one of a network of its own, such as a cluster's, or
// leads to one.
func isPrivate(a netip.Addr) bool {
	a = a.WithZone("").Unmap()
	return a.IsPrivate() || sharedNetwork.Contains(a) || slices.ContainsFunc(embedded(a), isPrivate)
}

// refusal says what is wrong with connecting to an address that was not named literally, "" if
// nothing is.
func refusal(a netip.Addr) string {
	a = a.WithZone("").Unmap()
	switch {
	case a.IsUnspecified() || thisNetwork.Contains(a):
		return "an unspecified address"
	case a.IsLoopback():
		return "a loopback address"
	case a.IsLinkLocalUnicast():
		return "a link-local address"
	case a.IsMulticast() || a == broadcast:
		return "a multicast address"
	case slices.ContainsFunc(metadata, func(p netip.Prefix) bool { return p.Contains(a) }):
		return "the address of a metadata service"
	}
	for _, inner := range embedded(a) {
		if why := refusal(inner); why != "" {
			return why + " in IPv6 form"
		}
	}
	return ""
}

// carriers are the prefixes below which IPv6 addresses lead to IPv4 ones, and where those are in
// them.
var carriers = []struct {
	prefix netip.Prefix
	at     [4]int
	change func(netip.Addr) netip.Addr // nil: none
}{
	// compatible, out of use
	{netip.MustParsePrefix("::/96"), [4]int{12, 13, 14, 15}, nil},
	{netip.MustParsePrefix("::ffff:0:0:0/96"), [4]int{12, 13, 14, 15}, nil}, // translated (SIIT)
	{netip.MustParsePrefix("64:ff9b::/96"), [4]int{12, 13, 14, 15}, nil},    // NAT64
	// NAT64 of a local network, which has
	{netip.MustParsePrefix("64:ff9b:1::/48"), [4]int{12, 13, 14, 15}, known},
	// chosen one of these forms
	{netip.MustParsePrefix("64:ff9b:1::/48"), [4]int{6, 7, 9, 10}, known},
	{netip.MustParsePrefix("64:ff9b:1::/48"), [4]int{7, 9, 10, 11}, known},
	{netip.MustParsePrefix("64:ff9b:1::/48"), [4]int{9, 10, 11, 12}, known},
	{netip.MustParsePrefix("2002::/16"), [4]int{2, 3, 4, 5}, nil},        // 6to4
	{netip.MustParsePrefix("2001::/32"), [4]int{12, 13, 14, 15}, invert}, // Teredo: the client
	{netip.MustParsePrefix("2001::/32"), [4]int{4, 5, 6, 7}, nil},        // and the server
}

// known returns an address that harms nobody in place of one that begins with 0: in that form,
// nothing is there.
func known(a netip.Addr) netip.Addr {
	if thisNetwork.Contains(a) {
		return netip.AddrFrom4([4]byte{10, 0, 0, 0})
	}
	return a
}

func invert(a netip.Addr) netip.Addr {
	b := a.As4()
	return netip.AddrFrom4([4]byte{^b[0], ^b[1], ^b[2], ^b[3]})
}

// embedded returns the IPv4 addresses that an IPv6 address may lead to.
func embedded(a netip.Addr) (inner []netip.Addr) {
	if !a.Is6() {
		return nil
	}
	b := a.As16()
	// ISATAP, as the second half shows
	if b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe {
		inner = append(inner, netip.AddrFrom4([4]byte(b[12:])))
	}
	for _, c := range carriers {
		if !c.prefix.Contains(a) {
			continue
		}
		v4 := netip.AddrFrom4([4]byte{b[c.at[0]], b[c.at[1]], b[c.at[2]], b[c.at[3]]})
		if c.change != nil {
			v4 = c.change(v4)
		}
		inner = append(inner, v4)
	}
	return inner
}
