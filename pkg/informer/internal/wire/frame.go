package wire

import (
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// bookmark is what a BOOKMARK frame says.
type bookmark struct {
	Version string
	// EndsList: everything that was there when the watch began has been sent.
	EndsList bool
}

// ReadBookmark reads the object of a BOOKMARK frame.
func ReadBookmark(text string) (bookmark, error) {
	var o struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return bookmark{}, fmt.Errorf("cannot read the bookmark: %w", err)
	}
	return bookmark{
		Version:  o.Metadata.ResourceVersion,
		EndsList: o.Metadata.Annotations[metav1.InitialEventsAnnotationKey] == "true",
	}, nil
}

// StatusError reads the object of an ERROR frame, and returns the error that it is.
func StatusError(text string) error {
	var s metav1.Status
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return fmt.Errorf("cannot read the error the API server sent: %w", err)
	}
	return &apierrors.StatusError{ErrStatus: s}
}
