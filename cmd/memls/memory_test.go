package main

import "testing"

func TestGarbagePercent(t *testing.T) {
	for alive, want := range map[uint64]int{0: maxPercent, 1 << 20: maxPercent, 4 << 20: 100, 8 << 20: minPercent, 1 << 30: minPercent} {
		if got := garbagePercent(alive); got != want {
			t.Errorf("with %d bytes alive the percentage is %d, want %d", alive, got, want)
		}
	}
}
