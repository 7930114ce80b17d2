package lsp

import (
	"github.com/memls/memls/compile"
	"github.com/memls/memls/rules"
)

// size is how large the core memory is, and may be.
type size struct {
	Characters int64       `json:"characters"` // Unicode code points
	Tokens     int         `json:"tokens"`     // an estimate
	Limit      *int64      `json:"limit"`      // of the characters; null: none
	Level      budgetLevel `json:"level"`
}

// A budgetLevel says how much of a budget is used, as the rules see it.
type budgetLevel string

const (
	levelOK   budgetLevel = "ok"   // or there is no limit
	levelNear budgetLevel = "near" // above nine tenths: rule budget-near
	levelOver budgetLevel = "over" // refused
)

func levelOf(used int64, limit *int64) budgetLevel {
	switch {
	case limit == nil:
		return levelOK
	case used > *limit:
		return levelOver
	case rules.NearLimit(used, *limit):
		return levelNear
	}
	return levelOK
}

// coreSize measures the files that are in every prompt.
func coreSize(view *rules.View) (size, error) {
	var core size
	_, limit, err := view.CoreBudget()
	if err != nil {
		return core, err
	}
	if limit >= 0 {
		core.Limit = &limit
	}
	files := view.Tree.Root().Files()
	if !view.V2Front {
		files = view.Tree.All()
	}
	for f := range files {
		if groupOf(view, f.Path) != groupCore || !f.Mode.IsRegular() {
			continue
		}
		about, err := view.About(f)
		if err != nil {
			return core, err
		}
		core.Characters += int64(about.Characters)
		core.Tokens += compile.Tokens(about.Bytes)
	}
	core.Level = levelOf(core.Characters, core.Limit)
	return core, view.Tree.Err()
}
