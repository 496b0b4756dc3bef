package jsonscan

import (
	"unsafe"

	"github.com/informerd/informerd/pkg/informer/object"
)

var (
	parser     = object.Parser{Plain: true} // remembers nothing, as the strict libraries do
	labelsPath = object.MustCompilePath("metadata.labels")
	phasePath  = object.MustCompilePath("status.phase")
	imagePath  = object.MustCompilePath("spec.containers[0].image")
)

// informerdHeader does what the informer core does with each object.
func informerdHeader(raw []byte) (Header, error) {
	o, err := parser.Parse(raw)
	if err != nil {
		return Header{}, err
	}
	return Header{
		APIVersion: o.APIVersion(), Kind: o.Kind(),
		Namespace: o.Namespace(), Name: o.Name(), UID: o.UID(),
		ResourceVersion: o.ResourceVersion(),
		Generation:      o.Generation(), DeletionTimestamp: o.DeletionTimestamp(),
		Labels: bytesOf(labelsPath.Lookup(o).Raw()), Raw: bytesOf(o.JSON()),
	}, nil
}

// informerdFields reads from an object that was parsed on arrival, which is not part of the job.
func informerdFields(raw []byte) (Fields, error) {
	root := object.TrustedValue(alias(raw))
	return Fields{Phase: phasePath.In(root).Text(), Image: imagePath.In(root).Text()}, nil
}

func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
