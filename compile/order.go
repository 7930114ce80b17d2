package compile

import (
	"cmp"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"github.com/memls/memls/rules/facts"
)

// A collation is the order of ICU's root collation, which Letta Code sorts by,
// whatever the locale of this process. Names that it takes for equal are in
// byte order. It must not be shared by goroutines.
type collation struct{ collator *collate.Collator }

func newCollation() *collation {
	return &collation{collate.New(language.Und)}
}

func (c *collation) compare(a, b string) int {
	return cmp.Or(c.collator.CompareString(facts.Decode(a), facts.Decode(b)), cmp.Compare(a, b))
}
