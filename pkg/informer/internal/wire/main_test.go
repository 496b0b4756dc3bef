package wire

import (
	"testing"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/pkg/informer/internal/informertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var pods = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

var (
	podText = informertest.PodText
	expect  = informertest.Expect
)
