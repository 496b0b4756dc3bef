package wasmtest

// Instructions without operands.
var (
	Unreachable = []byte{0x00}
	Return      = []byte{0x0f}
	Drop        = []byte{0x1a}
	Add         = []byte{0x6a}
	Forever     = []byte{0x03, 0x40, 0x0c, 0x00, 0x0b} // loop br 0 end
)

// Const pushes an i32.
func Const(v int32) []byte { return append([]byte{0x41}, signed(int64(v))...) }

// Const64 pushes an i64.
func Const64(v int64) []byte { return append([]byte{0x42}, signed(v)...) }

// Call calls a function.
func Call(f uint32) []byte { return append([]byte{0x10}, Uint(f)...) }

// Local pushes a local variable or parameter.
func Local(i uint32) []byte { return append([]byte{0x20}, Uint(i)...) }

// GetGlobal pushes a global variable.
func GetGlobal(i uint32) []byte { return append([]byte{0x23}, Uint(i)...) }

// SetGlobal pops into a global variable.
func SetGlobal(i uint32) []byte { return append([]byte{0x24}, Uint(i)...) }

// Grow pushes the result of growing the memory by some pages.
func Grow(pages int32) []byte { return append(Const(pages), 0x40, 0x00) }

// Load pushes the i32 at an address.
func Load(at int32) []byte { return append(Const(at), 0x28, 0x02, 0x00) }

// Store64 stores an i64, pushed by value, at an address.
func Store64(at int32, value []byte) []byte {
	return append(append(Const(at), value...), 0x37, 0x03, 0x00)
}

// Store stores an i32, pushed by value, at an address.
func Store(at int32, value []byte) []byte {
	return append(append(Const(at), value...), 0x36, 0x02, 0x00)
}

// Loop repeats code without end; the code leaves nothing on the stack.
func Loop(code ...[]byte) []byte {
	return cat([]byte{0x03, 0x40}, cat(code...), []byte{0x0c, 0x00, 0x0b})
}

// Times repeats code n times, counting in local variable i.
func Times(i uint32, n int32, code ...[]byte) []byte {
	count := cat(Local(i), Const(1), Add, []byte{0x22}, Uint(i)) // add 1, keep it
	return cat([]byte{0x03, 0x40}, cat(code...), count, Const(n), []byte{0x48, 0x0d, 0x00, 0x0b})
}

// If runs code if the condition on the stack is not 0; the code leaves nothing on the stack.
func If(code ...[]byte) []byte {
	return cat([]byte{0x04, 0x40}, cat(code...), []byte{0x0b})
}

// MemorySize pushes the size of the memory in pages.
var MemorySize = []byte{0x3f, 0x00}

func signed(v int64) []byte {
	var b []byte
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
