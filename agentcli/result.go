package agentcli

import (
	"context"
	"fmt"
	"io"

	"github.com/memls/memls/rules"
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
		return r, sel.mustExist(t, nil)
	}
	var err error
	if r.report, err = t.view.Judge(ctx, rules.Options{Want: sel.has}); err != nil {
		return nil, err
	}
	if err := sel.mustExist(t, r.report.Findings); err != nil {
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
func (s selection) mustExist(t *target, findings []rules.Finding) error {
	known := func(spec string) bool {
		for _, tr := range t.trees() {
			if spec == "" || tr.Has(spec) || tr.Dir(spec) != nil {
				return true
			}
		}
		for i := range findings {
			if findings[i].Path != "" && covers(spec, findings[i].Path) {
				return true
			}
		}
		return false
	}
	for _, spec := range s {
		if !known(spec) {
			where := map[string]string{
				atWorktree: "the working tree (ignored files are not part of it)",
				atStaged:   "the index", atHead: "the last commit",
			}[t.at]
			if where == "" {
				where = "revision " + t.at
			}
			return fmt.Errorf("%s: no such file or directory in %s", rules.Display(spec), where)
		}
	}
	return nil
}
