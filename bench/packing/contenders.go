package packing

// packer stores texts that have something in common: all of them, or those of one workload. Each
// text is one object's valid JSON. A packer owns all it refers to, and may be used by several
// goroutines at once: one packs what the API server sends while others unpack.
type packer interface {
	// pack returns the packed form of text. It may write it to the memory of scratch, up to its
	// capacity. It keeps neither argument.
	pack(scratch, text []byte) []byte
	// unpack returns the text that pack has packed, byte for byte. It may write it to the memory of
	// scratch as pack does, but not if the capacity is too small for the text. It keeps neither
	// argument.
	unpack(scratch, packed []byte) ([]byte, error)
}

// scope is which texts a packer is made of, and so which texts it is for.
type scope int

const (
	// alone: made of nothing, and one packer is enough for all texts.
	alone scope = iota
	// everything: made of samples from many workloads, and one packer is enough for all texts. The
	// samples begin with one object of each workload.
	everything
	// workload: made of a single sample, the base, and used for the texts of its workload.
	workload
)

// contender is one way to store texts.
type contender struct {
	name  string
	scope scope
	// make returns a packer. It may keep parts of the samples only as copies.
	make func(samples [][]byte) (packer, error)
}

var contenders = []contender{
	{"copy", alone, copyPacker},
	{"s2", alone, s2Packer(s2Default)},
	{"s2-better", alone, s2Packer(s2Better)},
	{"s2-snappy", alone, s2Packer(s2Snappy)},
	{"flate-1", alone, flatePacker},
	{"zstd-fastest", alone, zstdFastest.alone},
	{"zstd-default", alone, zstdDefault.alone},
	{"s2-sample", everything, s2SamplePacker},
	{"s2-trained", everything, s2TrainedPacker},
	{"zstd-trained-fastest", everything, zstdFastest.trained},
	{"zstd-trained-default", everything, zstdDefault.trained},
	{"zstd-history-fastest", everything, zstdFastest.history},
	{"affixes", workload, affixesPacker},
	{"s2-workload", workload, s2WorkloadPacker},
	{"s2-workload-better", workload, s2WorkloadBetterPacker},
	{"s2-workload-lazy", workload, s2WorkloadLazyPacker},
	{"flate-workload", workload, flateWorkloadPacker},
	{"zstd-workload-fastest", workload, zstdFastest.workload},
	{"zstd-workload-lazy", workload, zstdWorkloadLazyPacker},
}

// exact returns a copy without spare capacity.
func exact(b []byte) []byte {
	own := make([]byte, len(b))
	copy(own, b)
	return own
}

// sized returns length bytes, in scratch's memory if it is large enough.
func sized(scratch []byte, length int) []byte {
	if cap(scratch) < length {
		return make([]byte, length)
	}
	return scratch[:length]
}
