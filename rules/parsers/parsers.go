// Package parsers hands the engine the libraries that read Markdown and YAML.
// Everything that judges for people imports it; the hook does not.
package parsers

import (
	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/frontyaml"
	"github.com/memls/memls/rules/markdown/commonmark"
)

// New returns the parsers for a rules.Snapshot.
func New() *rules.Parsers {
	return &rules.Parsers{
		Markdown: commonmark.Parse,
		Again:    commonmark.Again,
		YAML:     frontyaml.Parse,
		Value:    frontyaml.Value,
		Scalar:   frontyaml.Scalar,
	}
}
