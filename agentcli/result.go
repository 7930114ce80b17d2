package agentcli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/memls/memls/rules"
	"github.com/memls/memls/rules/tree"
)

// A result is a judgement as it is shown.
type result struct {
	*target
	report *rules.Report
	sel    selection
	shown  []shownFinding
	counts [rules.Hint + 1]int // by severity
	// nothing says why nothing was judged, "" when something was.
	nothing string
}

// A shownFinding is a finding with its place in lines and columns. The place
// of a finding about a file without text (a missing one) is its start.
type shownFinding struct {
	*rules.Finding
	rules.Range
}

// render has one writer for each format of check.
var render = map[string]func(w io.Writer, version string, r *result) error{
	"text":   writeText,
	"json":   writeJSON,
	"sarif":  writeSARIF,
	"github": writeGitHub,
}

// judge runs every rule. Findings about other than the selected files are not
// shown; alone also hides those about the tree.
func (t *target) judge(ctx context.Context, sel selection, alone bool) (*result, error) {
	r := &result{target: t, report: &rules.Report{Total: t.view.Tree.Len()}, sel: sel}
	if !t.isMemory() {
		r.nothing = "no policy file, no root MEMORY.md, no .memfs.config.json and no v1 memory Markdown"
		return r, nil
	}
	var err error
	if r.report, err = t.view.Judge(ctx, rules.Options{Want: sel.has}); err != nil {
		return nil, err
	}
	r.show(func(f *rules.Finding) bool {
		return sel.hasFinding(f, t.isCore) && !(alone && f.Path == "")
	})
	if r.report.Checked == 0 && len(r.shown) == 0 {
		r.nothing = "there are no memory files"
		if len(sel) > 0 {
			r.nothing = "the paths hold no memory files"
		}
	}
	return r, nil
}

// show picks the findings to show and finds their places.
func (r *result) show(want func(*rules.Finding) bool) {
	var src []byte
	path := ""
	for i := range r.report.Findings {
		f := &r.report.Findings[i]
		if !want(f) {
			continue
		}
		if f.Path != path { // findings are sorted by path
			path, src = f.Path, r.textOf(f.Path)
		}
		r.counts[f.Severity]++
		r.shown = append(r.shown, shownFinding{f, f.RangeIn(src)})
	}
}

// keep drops the shown findings that are not wanted, and reports whether any
// of the others has a fix.
func (r *result) keep(want func(*rules.Finding) bool) (fixable bool) {
	all := r.shown
	r.shown, r.counts = nil, [rules.Hint + 1]int{}
	for _, f := range all {
		if want(f.Finding) {
			r.counts[f.Severity]++
			r.shown = append(r.shown, f)
			fixable = fixable || len(f.fixes()) > 0
		}
	}
	return fixable
}

// textOf is the text that a finding's place is in, nil for none.
func (r *result) textOf(path string) []byte {
	f := r.view.Tree.File(path)
	if f == nil || !f.Mode.IsRegular() {
		return nil
	}
	// A file that cannot be read is what the finding is about.
	src, _ := f.Bytes()
	return src
}

// fixes are those of the finding and of the cause that it shares with others,
// each once.
func (f *shownFinding) fixes() []*rules.Fix {
	fixes := f.Fixes
	if f.Group != nil {
		fixes = append(fixes[:len(fixes):len(fixes)], f.Group.Fixes...)
	}
	var once []*rules.Fix
	seen := map[string]bool{}
	for _, fix := range fixes {
		if !seen[fix.Key] {
			seen[fix.Key] = true
			once = append(once, fix)
		}
	}
	return once
}

// mustExist fails for a selected path that is in no tree and in no finding: it
// is mistyped, and silence would pass for "fine".
func (r *result) mustExist() error {
	known := func(spec string) bool {
		for _, t := range []*tree.Tree{r.view.Tree, r.view.Head} {
			if spec == "" || t.Has(spec) || t.Dir(spec) != nil {
				return true
			}
		}
		return slices.ContainsFunc(r.report.Findings, func(f rules.Finding) bool { return f.Path != "" && covers(spec, f.Path) })
	}
	for _, spec := range r.sel {
		if !known(spec) {
			where := map[string]string{
				atWorktree: "the working tree (ignored files are not part of it)",
				atStaged:   "the index", atHead: "the last commit",
			}[r.at]
			if where == "" {
				where = "revision " + r.at
			}
			return fmt.Errorf("%s: no such file or directory in %s", rules.Display(spec), where)
		}
	}
	return nil
}
