// Cpu is a guest that works hard: each export does one kind of work n times and returns a checksum
// of what came out.
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"regexp"
	"slices"
	"sort"
	"strings"
)

func main() {}

var (
	text = strings.Repeat("2026-01-31T12:00:00Z pod/web-7f9c4d-x2k1p in default: back-off 5m0s restarting, code=137\n", 40)
	line = regexp.MustCompile(`(\d{4})-(\d\d)-(\d\d)T\S+ pod/([a-z0-9-]+) in (\w+): .*code=(\d+)`)
)

//go:wasmexport hash
func hash(n int32) int64 {
	sum := [32]byte{}
	buf := []byte(text)
	for range n {
		copy(buf, sum[:])
		sum = sha256.Sum256(buf)
	}
	h := fnv.New64a()
	for range n {
		h.Write(sum[:])
	}
	return int64(h.Sum64() ^ binary.LittleEndian.Uint64(sum[:]))
}

type item struct {
	name string
	rank uint32
}

//go:wasmexport order
func order(n int32) int64 {
	var sum uint64
	for round := range n {
		x := uint32(round + 1)
		items := make([]item, 1000)
		for i := range items {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
			items[i] = item{name: text[x%1000 : x%1000+12], rank: x}
		}
		sort.Slice(items, func(i, j int) bool { return items[i].rank < items[j].rank })
		sum = sum*31 + uint64(items[500].rank)
		slices.SortFunc(items, func(a, b item) int { return strings.Compare(a.name, b.name) })
		sum = sum*31 + uint64(items[500].name[0])
	}
	return int64(sum)
}

type object struct {
	Kind     string
	Metadata struct {
		Name   string
		Labels map[string]string
	}
	Spec struct {
		Containers []struct {
			Name, Image string
			Args        []string
			Port        float64
		}
	}
}

//go:wasmexport parse
func parse(n int32) int64 {
	var o object
	o.Kind = "Pod"
	o.Metadata.Name = "web-7f9c4d-x2k1p"
	o.Metadata.Labels = map[string]string{"app": "web", "tier": "front", "release": "stable"}
	for range 8 {
		o.Spec.Containers = append(o.Spec.Containers, struct {
			Name, Image string
			Args        []string
			Port        float64
		}{"main", "registry.example/web:1.2.3", strings.Fields(text)[:20], 8080.5})
	}
	doc, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	var sum int64
	for range n {
		var back object
		if err := json.Unmarshal(doc, &back); err != nil {
			panic(err)
		}
		sum = sum*31 + int64(len(back.Spec.Containers[7].Args[19])) +
			int64(len(back.Metadata.Labels))
	}
	return sum
}

//go:wasmexport match
func match(n int32) int64 {
	var sum int64
	for range n {
		for _, m := range line.FindAllStringSubmatchIndex(text, -1) {
			sum = sum*31 + int64(m[len(m)-1])
		}
	}
	return sum
}
