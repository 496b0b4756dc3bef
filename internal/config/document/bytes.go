package document

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Bytes is a number of bytes, written as a Kubernetes quantity: 16Mi.
type Bytes int64

// String returns the quantity in powers of 1024.
func (b Bytes) String() string { return resource.NewQuantity(int64(b), resource.BinarySI).String() }

// MarshalJSON returns the quantity as a string.
func (b Bytes) MarshalJSON() ([]byte, error) { return json.Marshal(b.String()) }
