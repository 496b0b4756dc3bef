package handlers

import (
	"fmt"

	"github.com/informerd/informerd/bench/objects"
	"github.com/informerd/informerd/pkg/informer/object"
)

// The two fields, which package jsonscan reads, too.
var (
	phasePath = object.MustCompilePath("status.phase")
	imagePath = object.MustCompilePath("spec.containers[0].image")
)

// sent is the size of a pod as an API server sends it, of which about 10 KB are left without
// managedFields.
const sent = 16 << 10

// Pod makes a pod as informerd has it.
func Pod(seed uint64) (*object.Object, error) {
	parser := object.Parser{Plain: true}
	o, err := parser.Parse(objects.Pod(seed, sent))
	if err != nil {
		return nil, fmt.Errorf("pod %d: %w", seed, err)
	}
	return o, nil
}

// answer is what a contender makes of the two fields.
func answer(phase, image string) int32 {
	return int32((len(phase) + int(phase[0]) + len(image) + int(image[len(image)-1])) & 3)
}
