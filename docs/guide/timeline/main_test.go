package main

import (
	"os"
	"testing"
)

// The guide has the figure that this program draws.
func TestFigureIsDrawn(t *testing.T) {
	b, err := os.ReadFile("../time.svg")
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != figure() {
		t.Error("docs/guide/time.svg is another: go run ./docs/guide/timeline > docs/guide/time.svg")
	}
}
