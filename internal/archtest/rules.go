package archtest

const (
	rootModule       = "github.com/informerd/informerd"
	objectInternal   = rootModule + "/pkg/informer/object/internal/"
	informerInternal = rootModule + "/pkg/informer/internal/"
)

// Folders are relative to the repository, and stand for everything below them; of several that
// match, the longest counts.

// layers are the folders of the root module, bottom first. A package imports those of lower layers
// and its own folder, so that an event's way can be read in one direction. What stands side by side
// in one layer knows nothing of each other.
var layers = []layer{
	{[]string{"internal/growth", "internal/pages", "internal/testcache", "internal/watchlog"},
		"the tests of everybody may use them, so they use nobody"},
	{[]string{"pkg/informer/object"},
		"an object is what everything else is about, so it knows nothing else"},
	{[]string{"pkg/informer/event", "docs", "configs/recipes",
		"internal/nearest",
		"internal/filewatch", "internal/outbound",
		"internal/resourcename", "internal/wording",
		"internal/backoff", "internal/boltfile", "internal/checkpoint", "internal/record",
		"plugins/sdk",
		"pkg/plugins/abi"},
		"they are the leaves that everybody may use, so they use nobody"},
	{[]string{"internal/deadletter"},
		"letters are kept with what any event has; who writes and who replays them is above"},
	{[]string{"internal/sharedstate"},
		"it keeps what it is given for whoever has a part of the work, and asks for no reasons"},
	{[]string{"internal/secret"},
		"they read files for whoever connects to something, and know nobody who does"},
	{[]string{"pkg/informer/condition"},
		"filters say with it what informers look at before their buffers, so it knows neither"},
	{[]string{"pkg/plugins/internal"},
		"what guests are made of does not know the host that loads them"},
	{[]string{"internal/tracing"},
		"it follows what stages do, and knows none of them"},
	{[]string{"pkg/informer", "pkg/filters", "pkg/plugins", "internal/sink"},
		"the stages know events and not each other, so that each can be used and tested alone"},
	{[]string{"internal/sink/nats", "internal/sink/kafka"},
		"outputs with clients of their own know what a sink is, and not each other"},
	{[]string{"pkg/plugins/internal/hostile"},
		"what tries to do harm is run by the real host"},
	{[]string{"pkg/filters/rules"},
		"rules keep what filters answer, and know no other stage"},
	{[]string{"internal/delivery"},
		"it knows what is sent, and neither why nor for which configuration"},
	{[]string{"internal/route", "internal/config", "internal/kube", "internal/schema"},
		"route joins the stages for one listener; it does not care where the configuration, the connection or the schemas come from"},
	{[]string{"internal/kube/lease", "internal/kube/definitions"},
		"an election is about replicas of anything, a definition about any resource; what either is for is decided above"},
	{[]string{"internal/plan"},
		"it compiles what the configuration says, and can be looked at without running anything"},
	{[]string{"internal/keeper"},
		"it keeps what informers and routes hand it, whatever the configuration they were made of"},
	{[]string{"internal/replica", "internal/rights", "internal/fleet"},
		"a replica hands on what its keeper has, rights are asked for what a plan needs, and clusters are found; none of them runs it"},
	{[]string{"internal/fieldcheck"},
		"it compares expressions with what the API server has, and knows nobody who evaluates them"},
	{[]string{"internal/statefolder"},
		"it opens what others keep in the folder, and uses none of it"},
	{[]string{"internal/handlers"},
		"it reads what a handler is loaded from, and loads none"},
	{[]string{"internal/outputs"},
		"it makes sinks of what the configuration says; who sends to them is not its business"},
	{[]string{"internal/explain"},
		"it runs a route over one event; who sets a listener up is above"},
	{[]string{"internal/status"},
		"it says how things are, whoever knows and whoever asks"},
	{[]string{"internal/progress"},
		"it draws how far informers are, whoever runs them"},
	{[]string{"internal/migrate"},
		"it writes configurations, and reads those of other tools"},
	{[]string{"internal/endpoints", "internal/admin"},
		"it shows what the daemon hands it; it finds, starts and decides nothing"},
	{[]string{"internal/statuspage"},
		"it does what commands do, in a browser"},
	{[]string{"internal/daemon"},
		"it is the one place that puts everything together"},
	{[]string{"internal/author"},
		"tools for handlers' authors run them as the daemon does; the daemon does not know them"},
	{[]string{"internal/cli"},
		"commands call the daemon, never the other way round"},
	{[]string{"cmd", "configs", "dev", "internal/e2e", "internal/outage", "internal/pagetest",
		"internal/stress", "internal/archtest"},
		"programs and the tests of the whole come last"},
}

type layer struct {
	folders []string
	why     string
}

// bans are imports that a folder must not have, beyond what layers and homes say.
var bans = []ban{
	{"pkg/informer/object", []string{"k8s.io", "sigs.k8s.io"}, nil,
		"everybody who reads an object would get Kubernetes' packages with it"},
	{"pkg/informer/event", []string{"k8s.io", "sigs.k8s.io"}, nil,
		"everybody who handles an event would get Kubernetes' packages with it"},
	{"pkg/filters", []string{"k8s.io", "sigs.k8s.io"},
		[]string{"k8s.io/apimachinery/pkg/api/resource"},
		"a filter reads an object's bytes; nothing in it is about talking to an API server"},
	{"pkg/filters/rules", []string{"k8s.io", "sigs.k8s.io", rootModule + "/pkg/plugins",
		rootModule + "/internal"},
		[]string{rootModule + "/internal/record", rootModule + "/internal/nearest"},
		"rules keep what filters answer, and know no other stage"},
	{"pkg/plugins", []string{"k8s.io", "sigs.k8s.io"}, nil,
		"a guest gets an object's bytes; nothing in its host is about talking to an API server"},
	{"pkg/informer/internal/fifo", []string{rootModule}, nil,
		"it is a list of anything"},
	{"pkg/informer/internal/lanes", []string{rootModule},
		[]string{rootModule + "/pkg/informer/object", informerInternal + "fifo",
			informerInternal + "informertest"},
		"a durable stream needs lanes as a buffer in memory does, so they know neither"},
	{"pkg/informer/internal/buffer", []string{rootModule},
		[]string{rootModule + "/pkg/informer/object", rootModule + "/pkg/informer/event",
			informerInternal + "fifo", informerInternal + "lanes", informerInternal +
				"informertest"},
		"it is plain data; stores, conditions, timers and locks are its owner's"},
	{"pkg/informer/internal/store", []string{rootModule, "k8s.io"},
		[]string{rootModule + "/pkg/informer/object", informerInternal + "informertest"},
		"it keeps objects; how they come and who wants to hear of them is not its business"},
	{"pkg/informer/internal/queue", []string{rootModule, "k8s.io"},
		[]string{rootModule + "/pkg/informer/object", rootModule + "/pkg/informer/event",
			informerInternal + "fifo", informerInternal + "store",
			informerInternal + "informertest"},
		"it holds changes; where they come from and what they mean is not its business"},
	{"pkg/informer/internal/diff", []string{rootModule, "k8s.io"},
		[]string{rootModule + "/pkg/informer/object", informerInternal + "store",
			informerInternal + "informertest"},
		"it compares stores; what a difference means for a subscription is not its business"},
	{"pkg/informer/internal/unfinished", []string{rootModule, "k8s.io"},
		[]string{rootModule + "/pkg/informer/object", rootModule + "/pkg/informer/event",
			informerInternal + "buffer", informerInternal + "informertest"},
		"it lists what is not finished; who finishes what is not its business"},
	{"pkg/informer/internal/reflector", []string{rootModule},
		[]string{rootModule + "/pkg/informer/object", rootModule + "/pkg/informer/event",
			rootModule + "/internal/backoff", informerInternal + "diff", informerInternal + "queue", informerInternal + "reflector",
			informerInternal + "wire",
			informerInternal + "informertest"},
		"it brings what a server has; what that changes is the controller's part"},
	{"pkg/informer/internal/wire", []string{rootModule},
		[]string{rootModule + "/pkg/informer/object", rootModule + "/internal/backoff",
			informerInternal + "wiretest", informerInternal + "informertest"},
		"it reads what a server sends; when to ask for what is the reflector's part"},
	{"pkg/informer/examples", []string{rootModule}, []string{rootModule + "/pkg/informer"},
		"examples show what others can do with the library"},
	{"pkg/informer/object/internal/jsontext", []string{rootModule}, nil,
		"it navigates text, and knows nothing of objects"},
	{"pkg/informer/object/internal/delta", []string{rootModule}, nil,
		"it encodes and decodes; what is worth a copy is found above"},
	{"pkg/informer/object/internal/scan", []string{rootModule},
		[]string{objectInternal + "jsontext", objectInternal + "scan"},
		"it checks text, and knows nothing of bases and objects"},
	{"pkg/informer/object/internal/align", []string{rootModule},
		[]string{objectInternal + "jsontext", objectInternal + "scan", objectInternal + "delta"},
		"it compares any two texts"},
	{"internal/checkpoint", []string{rootModule}, nil,
		"it keeps blocks; what is in them is their owners' business"},
	{"internal/config/document", []string{rootModule},
		[]string{rootModule + "/internal/nearest", rootModule + "/pkg/filters"},
		"it reads any file strictly; what a configuration means is internal/config's own business"},
}

type ban struct {
	folder  string
	imports []string
	except  []string // of imports
	why     string
}

// homes are the libraries that live in few places, so that another version or another library is a
// change there only.
var homes = []home{
	{[]string{"k8s.io/client-go"}, []string{"pkg/informer", "internal/kube", "dev"}, true,
		"what talks to an API server is kept together; tests and the demo may, to act on a cluster"},
	{[]string{"github.com/expr-lang/expr"}, []string{"pkg/filters"}, false,
		"the expression language is pkg/filters' own business"},
	{[]string{"github.com/tetratelabs/wazero"}, []string{"pkg/plugins"}, false,
		"the WebAssembly runtime is pkg/plugins' own business"},
	{[]string{"sigs.k8s.io/yaml", "go.yaml.in/yaml", "gopkg.in/yaml.v2", "gopkg.in/yaml.v3"},
		[]string{"internal/config", "internal/migrate", "internal/rights"}, false,
		"our YAML is read in internal/config, strictly, with a line for each mistake; migrate reads that of others, and rights writes values for Helm"},
	{[]string{"github.com/prometheus"}, []string{"internal/endpoints"}, false,
		"who counts something has plain numbers; that they become metrics is internal/endpoints' own business"},
	{[]string{"golang.org/x/mod/semver"},
		[]string{"pkg/filters"}, false,
		"what a version and an image's name are is said in one place, to those who write filters; when an image is pulled follows from its name, as an API server reads it"},
	{[]string{"github.com/fsnotify"}, []string{"internal/filewatch"}, false,
		"who wants to know of changes of files asks one package, which compares their content"},
	{[]string{"go.etcd.io/bbolt"}, []string{"internal/boltfile", "pkg/plugins",
		"internal/deadletter"}, false,
		"what handlers keep on disk is pkg/plugins' own business, and so are letters"},
	{[]string{"github.com/nats-io"}, []string{"internal/sink/nats", "internal/sharedstate"}, true,
		"how messages and state get to NATS is nobody else's business"},
	{[]string{"github.com/twmb/franz-go"}, []string{"internal/sink/kafka"}, true,
		"how messages get to Kafka is one output's own business"},
}

type home struct {
	imports []string
	folders []string
	tests   bool // test files may import it anywhere
	why     string
}
