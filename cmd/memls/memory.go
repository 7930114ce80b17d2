package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// garbage is how many bytes of it may lie around. Go counts in percent of what
// is alive, which in a small memory is so little that it would collect at every
// other request.
const garbage = 4 << 20

// The percentage stays between these. The server waits most of its life, beside an
// editor that needs the memory: Go's 100 would be too much of a large one, and
// Go never collects below 4 MB times the percentage.
const minPercent, maxPercent = 50, 200

// limitGarbage sets Go's percentage, anew after each collection: that is when
// the object is found which nobody holds.
func limitGarbage() {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	debug.SetGCPercent(garbagePercent(sample[0].Value.Uint64()))
	runtime.AddCleanup(new(*byte), func(struct{}) { limitGarbage() }, struct{}{})
}

// garbagePercent is Go's percentage when so many bytes are alive.
func garbagePercent(alive uint64) int {
	return int(min(max(100*garbage/max(alive, 1), minPercent), maxPercent))
}
