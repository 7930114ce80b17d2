package rules

import (
	"sync"

	"github.com/memls/memls/rules/tree"
)

// all is every rule, refusals first, each group in the order of the spec.
// What is not listed does not run.
var all []*Rule

// The list is filled here because rules reach the engine (to find out whether
// a fix is safe) and the engine reaches the rules, which Go's initialisation
// order does not allow in a variable's own declaration.
func init() {
	all = []*Rule{
		ruleFrontmatterMissing,
		ruleFrontmatterUnclosed,
		ruleIndexFrontmatter,
		ruleFrontmatterKey,
		ruleFrontmatterDuplicate,
		ruleFrontmatterEmpty,
		ruleFrontmatterRequired,
		ruleReadOnlyModified,
		ruleReadOnlyField,
		ruleSkillPath,
		ruleConfigProtected,
		ruleConfigInvalid,
		ruleRootIndex,
		ruleIndexChain,
		ruleRegularFile,
		ruleMaxDepth,
		ruleFileBudget,
		ruleCoreBudget,
		ruleReadOnlyFiles,
		ruleLineEndings,
		ruleFinalNewline,
		ruleTrailingWhitespace,

		ruleUnreadable,

		ruleIndexUnlisted,
		ruleLinkBroken,
		ruleBudgetNear,
		rulePathOverlap,
		ruleCaseCollision,
		ruleIndexCase,
		ruleStagedDiffers,
		ruleMergeUnfinished,
		ruleProtectedMoved,

		ruleYAMLUnsafe,
		ruleSkillMetadata,
		rulePromptTag,
		ruleSecret,
		rulePlaceholder,
		ruleConflictMarker,
		ruleDoubleFrontmatter,
		ruleHiddenFrontmatter,
		ruleTextEncoding,
	}
}

// All returns every rule in a stable order. The slice must not be changed.
func All() []*Rule { return all }

// Lookup returns the rule with that id, or nil.
func Lookup(id string) *Rule {
	for _, r := range all {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// URL is where the rule's page can be read.
func (r *Rule) URL() string {
	return "https://github.com/memls/memls/blob/main/rules/docs/" + r.ID + ".md"
}

// check is what the rule runs on a file, or on the tree when there is none.
func (r *Rule) check(f *tree.File) func(*Pass) {
	switch {
	case f == nil && r.whole != nil:
		return r.whole
	case r.text != nil:
		return r.text
	case r.place != nil:
		return r.place
	}
	return func(*Pass) {} // reported by the engine itself
}

type rulesByScope struct{ text, place, whole []*Rule }

var (
	everyRule   = sync.OnceValue(func() rulesByScope { return byScope(func(*Rule) bool { return true }) })
	errorsOnly  = sync.OnceValue(func() rulesByScope { return byScope((*Rule).findsErrors) })
	refusalOnly = sync.OnceValue(func() rulesByScope { return byScope(func(r *Rule) bool { return r.Refusal }) })
)

func ruleSet(refusals bool) rulesByScope {
	if refusals {
		return refusalOnly()
	}
	return everyRule()
}

func byScope(want func(*Rule) bool) rulesByScope {
	var s rulesByScope
	for _, r := range all {
		if !want(r) {
			continue
		}
		if r.text != nil {
			s.text = append(s.text, r)
		}
		if r.place != nil {
			s.place = append(s.place, r)
		}
		if r.whole != nil {
			s.whole = append(s.whole, r)
		}
	}
	return s
}
