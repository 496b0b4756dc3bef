package checkpoint

import (
	"errors"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// fileNames returns the names of a disk's files, in order.
func fileNames(d *memDisk) []string { return slices.Sorted(maps.Keys(d.names)) }

// checkDamaged loads from a disk that was damaged: the result is an error that changes nothing, or
// a prefix of what was committed.
func checkDamaged(t *testing.T, d *memDisk, committed state) (noticed bool) {
	t.Helper()
	before := d.contents()
	s, loaded, err := restart(d)
	if err != nil {
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrVersion) {
			t.Fatal(err)
		}
		if after := d.contents(); !maps.Equal(before, after) {
			t.Fatal("the files were changed")
		}
		return true
	}
	if len(loaded) > len(committed) || !slices.Equal(loaded, committed[:len(loaded)]) {
		t.Fatalf("loaded %v", loaded)
	}
	// What was accepted goes on, and loads again.
	mustCommit(t, s, 100)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, again := mustRestart(t, d); !slices.Equal(again, append(loaded, 100)) {
		t.Fatalf("loaded %v, and again %v", loaded, again)
	}
	return false
}

// "What loads from a damaged folder is a prefix of what was committed": 1,000 places, each with a
// bit flipped, a page torn or a file cut off.
func TestDamage(t *testing.T) {
	const places = 1000
	noticed := 0
	for seed := range uint64(places) {
		d, committed := threeFiles(t)
		r := rand.New(rand.NewPCG(seed, 2))
		names := fileNames(d)
		name := names[r.IntN(len(names))]
		content := []byte(d.contents()[name])
		switch at := r.IntN(len(content)); seed % 4 {
		case 0:
			content = content[:at]
		case 1: // a page
			from := at / pageSize * pageSize
			for i := from; i < min(len(content), from+pageSize); i++ {
				content[i] = byte(r.Uint32()) & byte(-(seed % 3 % 2)) // zeros or anything
			}
		default:
			content[at] ^= 1 << r.IntN(8)
		}
		d.put(name, string(content))
		if checkDamaged(t, d, committed) {
			noticed++
		}
	}
	t.Logf("%d of %d noticed", noticed, places)
	if noticed < places/2 {
		t.Error("too few")
	}
}

// "The end of the last log that a crash has torn is cut off. Damage anywhere else is refused with
// ErrDamaged, which names the file and the place": each byte of three files is changed.
func TestOnlyTheEndOfTheLastLogIsCutOff(t *testing.T) {
	good, committed := threeFiles(t)
	names := fileNames(good)
	last := len(good.contents()[names[1]]) - len(numbered(13, 13*7%50)) - blockHead
	for i, name := range names {
		for at := range len(good.contents()[name]) {
			d, _ := threeFiles(t)
			content := []byte(d.contents()[name])
			content[at] ^= 0x10
			d.put(name, string(content))
			cutOff := i == 1 && at >= last
			if noticed := checkDamaged(t, d, committed); noticed == cutOff {
				t.Fatalf("%s, byte %d: noticed %v", name, at, noticed)
			}
			if cutOff {
				continue
			}
			if _, _, err := restart(d); !strings.HasPrefix(err.Error(), name+": ") ||
				!strings.Contains(err.Error(), " at byte ") && !errors.Is(err, ErrVersion) ||
				!strings.Contains(err.Error(), "informerd run --forget") {
				t.Fatal(err)
			}
		}
	}
	// The log that is not the last is not cut off, nor is it taken for a shorter one if it was cut
	// off between two blocks.
	for _, less := range []int{3, blockHead + len(numbered(9, 9*7%50))} {
		d, _ := threeFiles(t)
		log := good.contents()[names[0]]
		d.put(names[0], log[:len(log)-less])
		if !checkDamaged(t, d, committed) {
			t.Errorf("%d bytes of the first log are missing", less)
		}
	}
}

// A file that is missing is damage, too.
func TestMissingFiles(t *testing.T) {
	for i, want := range []string{"log-0000000000000002", "", "log-0000000000000001"} {
		d, committed := threeFiles(t)
		name := fileNames(d)[i]
		delete(d.names, name)
		if noticed := checkDamaged(t, d, committed); noticed != (want != "") {
			t.Errorf("without %s: noticed %v", name, noticed)
		}
		if want == "" { // the commits of the last log
			continue
		}
		if _, _, err := restart(d); !strings.HasPrefix(err.Error(), folder+"/"+want+
			": the checkpoint is damaged: the file is missing; restore") {
			t.Error(err)
		}
	}
}

// A file with another name than its own is not taken for another one.
func TestRenamedFiles(t *testing.T) {
	for from := range 3 {
		for to := range 3 {
			d, committed := threeFiles(t)
			names := fileNames(d)
			d.put(names[to], d.contents()[names[from]])
			if noticed := checkDamaged(t, d, committed); noticed == (from == to) {
				t.Errorf("%s as %s: noticed %v", names[from], names[to], noticed)
			}
		}
	}
}

// "Files of another format are refused with ErrVersion", older and newer ones.
func TestOtherFormats(t *testing.T) {
	for i := range 3 {
		for _, version := range []byte{0, Format + 1, 200} {
			d, committed := threeFiles(t)
			name := fileNames(d)[i]
			content := []byte(d.contents()[name])
			content[len(magic)] = version
			d.put(name, string(content))
			if _, _, err := restart(d); !errors.Is(err, ErrDamaged) {
				t.Errorf("a format that was changed: %v", err)
			}
			little.PutUint32(content[headSize-4:], crc32.Checksum(content[:headSize-4], castagnoli))
			d.put(name, string(content))
			if !checkDamaged(t, d, committed) {
				t.Fatal("not noticed")
			}
			_, _, err := restart(d)
			if !errors.Is(err, ErrVersion) || !strings.HasPrefix(err.Error(),
				name+": the checkpoint has another format: ") {
				t.Error(err)
			}
		}
	}
}

// What a payload has in it is never taken for a block: the end of a log that was torn within is cut
// off.
func TestPayloadsAreNotBlocks(t *testing.T) {
	d := newMemDisk(1)
	s, _ := mustRestart(t, d)
	mustCommit(t, s, 1)
	log := d.contents()[fileNames(d)[0]]
	inner := append(numbered(2, 0), log[headSize:]...) // a valid block 1, and others
	for number := range uint64(8) {
		payload := numbered(9, 0)
		inner = appendBlockHead(inner, crc32Of(0), uint32(len(payload)), number, payload)
		inner = append(inner, payload...)
	}
	if err := s.Commit(inner); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range fileNames(d) {
		content := d.contents()[name]
		d.put(name, content[:len(content)-1])
	}
	if _, loaded := mustRestart(t, d); !slices.Equal(loaded, state{1}) {
		t.Errorf("loaded %v", loaded)
	}
}

// crc32Of returns the seed of a file with a nonce.
func crc32Of(nonce uint64) uint32 { return head{nonce: nonce}.seed() }

// FuzzLoad: whatever is in the files, nothing panics, and what loads is a prefix.
func FuzzLoad(f *testing.F) {
	for i := range 3 {
		for _, at := range []int{0, 8, 12, 16, 24, 32, 40, headSize, headSize + 4, headSize + 8, 60,
			90} {
			f.Add(i, at, []byte{0xff}, false)
			f.Add(i, at, []byte{1, 0, 0, 0, 0, 0}, true)
		}
	}
	f.Fuzz(func(t *testing.T, i, at int, with []byte, cut bool) {
		d, committed := threeFiles(t)
		name := fileNames(d)[uint(i)%3]
		content := []byte(d.contents()[name])
		if at < 0 || at > len(content) {
			return
		}
		if n := copy(content[at:], with); cut {
			content = append(content[:at], with...)
		} else {
			content = append(content, with[n:]...)
		}
		d.put(name, string(content))
		checkDamaged(t, d, committed)
	})
}
