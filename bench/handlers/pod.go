package handlers

import (
	"fmt"

	"github.com/informerd/informerd/bench/objects"
	"github.com/informerd/informerd/pkg/informer/object"
)

// The two fields, also read by package jsonscan.
var (
	phasePath = object.MustCompilePath("status.phase")
	imagePath = object.MustCompilePath("spec.containers[0].image")
)

// sent is the size of a pod as an API server sends it; about 10 KB remain without managedFields.
const sent = 16 << 10

// Pod returns a pod as informerd keeps it.
func Pod(seed uint64) (*object.Object, error) {
	parser := object.Parser{Plain: true}
	o, err := parser.Parse(objects.Pod(seed, sent))
	if err != nil {
		return nil, fmt.Errorf("pod %d: %w", seed, err)
	}
	return o, nil
}

// answer returns a contender's answer for the two fields.
func answer(phase, image string) int32 {
	return int32((len(phase) + int(phase[0]) + len(image) + int(image[len(image)-1])) & 3)
}
