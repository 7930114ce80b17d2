package rules

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/memls/memls/rules/facts"
	"github.com/memls/memls/rules/tree"
)

// Options narrow a judgement.
type Options struct {
	// RefusalsOnly runs the rules of the hook alone.
	RefusalsOnly bool
	// Cache remembers what is known of blobs; nil remembers nothing. It
	// serves refusals only.
	Cache Cache
	// Want limits the files that are judged (not what they are judged
	// against); nil wants all. Findings about the whole tree are always made.
	Want func(path string) bool
}

// A Report is the outcome of a judgement.
type Report struct {
	Findings []Finding
	// Total counts the files of the tree, Checked those that some rule looked at.
	Total, Checked int
}

// Judge runs every rule over the tree. An error means that the judgement is
// incomplete and must not be taken for a clean one.
func (v *View) Judge(ctx context.Context, opt Options) (*Report, error) {
	if !opt.RefusalsOnly && v.Parsers == noParsers {
		return nil, errNoParsers
	}
	j := &judgement{View: v, opt: opt, rules: ruleSet(opt.RefusalsOnly)}
	var toRead []*tree.File
	for f := range v.Tree.All() {
		j.out.Total++
		role, wanted := j.wants(f)
		if !wanted {
			continue
		}
		if role != RoleNone {
			j.out.Checked++
		}
		if j.mustRead(f, role) {
			toRead = append(toRead, f)
		}
	}
	if err := j.read(ctx, toRead); err != nil {
		return nil, err
	}
	// One pass serves all files, and the tree is walked again rather than
	// listed: this is most of what a commit waits for.
	p := Pass{View: v, sink: j}
	for f := range v.Tree.All() {
		role, wanted := j.wants(f)
		if !wanted {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p.File, p.Role, p.text = f, role, nil
		p.run(j.rules.place)
	}
	j.report(p.findings)
	j.run(nil, RoleNone, nil, j.rules.whole)
	j.fail(v.config().err)
	j.fail(v.Tree.Err())
	j.fail(v.Head.Err())
	SortFindings(j.out.Findings)
	return &j.out, errors.Join(j.errs...)
}

var errNoParsers = errors.New("a snapshot without parsers can be judged for refusals alone")

// wants says in which role a file is judged, if it is at all.
func (j *judgement) wants(f *tree.File) (Role, bool) {
	if j.opt.Want != nil && !j.opt.Want(f.Path) {
		return RoleNone, false
	}
	role := j.RoleOf(f.Path)
	return role, role != RoleNone || !j.opt.RefusalsOnly
}

// JudgeFile runs the rules of one file: what its text and its place in the
// tree amount to. It costs in proportion to the file and its neighbours.
func (v *View) JudgeFile(f *tree.File) ([]Finding, error) {
	j := &judgement{View: v, rules: ruleSet(false)}
	role := v.RoleOf(f.Path)
	if role != RoleNone && f.Mode.IsRegular() {
		src, err := f.Bytes()
		if err != nil {
			j.unreadable(f, err)
		} else {
			v.Parsers.prime(f, src, role)
			j.run(f, role, src, j.rules.text)
		}
	}
	j.run(f, role, nil, j.rules.place)
	return j.findings()
}

// JudgeTree runs the rules about the tree as a whole.
func (v *View) JudgeTree() ([]Finding, error) { return v.judgeTree(ruleSet(false)) }

func (v *View) judgeTree(rules rulesByScope) ([]Finding, error) {
	j := &judgement{View: v, rules: rules}
	j.run(nil, RoleNone, nil, j.rules.whole)
	j.fail(v.Head.Err())
	return j.findings()
}

// eachError calls each for every error of a file, or of the tree as a whole
// where path is "". Rules that find no errors do not run, and nothing is kept
// of the file: a change may touch thousands.
func (v *View) eachError(path string, each func(*Finding)) error {
	var findings []Finding
	var err error
	if path == "" {
		findings, err = v.judgeTree(errorsOnly())
	} else if f := v.Tree.File(path); f != nil {
		findings, err = v.errorsOfFile(f)
	}
	for i := range findings {
		if findings[i].Severity == Error {
			each(&findings[i])
		}
	}
	return err
}

func (v *View) errorsOfFile(f *tree.File) ([]Finding, error) {
	j := &judgement{View: v, rules: errorsOnly()}
	p := Pass{View: v, File: f, Role: v.RoleOf(f.Path), sink: j}
	if p.Role != RoleNone && f.Mode.IsRegular() {
		src, err := f.Bytes()
		if err != nil {
			j.unreadable(f, err)
		} else {
			p.text, p.facts = src, facts.Of(src)
			f.KnowCharacters(p.facts.Characters)
			p.run(j.rules.text)
			j.report(withoutCascade(p.findings))
			p.findings = nil
		}
	}
	p.run(j.rules.place)
	j.report(p.findings)
	return j.findings()
}

// judgement collects findings; files may be judged concurrently.
type judgement struct {
	*View
	opt   Options
	rules rulesByScope

	mu   sync.Mutex
	out  Report
	errs []error
}

func (j *judgement) findings() ([]Finding, error) {
	SortFindings(j.out.Findings)
	return j.out.Findings, errors.Join(j.errs...)
}

func (j *judgement) fail(err error) {
	if err != nil {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.errs = append(j.errs, err)
	}
}

// mustRead reports whether a file's bytes are needed: not when the cache
// knows that nothing in them is refused.
func (j *judgement) mustRead(f *tree.File, role Role) bool {
	if !f.Mode.IsRegular() {
		return false
	}
	switch {
	case role == RoleConfig:
		return !j.opt.RefusalsOnly // the refusals of the config are the view's
	case !j.opt.RefusalsOnly:
		return role != RoleNone
	case role == RoleSkill || role == RoleNone:
		return false
	case role == RoleLegacy && !j.Changed(f.Path) && j.Limits() == nil:
		return false
	}
	return !j.known(f, role)
}

// read judges the texts of files.
func (j *judgement) read(ctx context.Context, files []*tree.File) error {
	each := func(f *tree.File, src []byte) {
		role := j.RoleOf(f.Path)
		p := Pass{View: j.View, File: f, Role: role, text: src, sink: j}
		if j.opt.RefusalsOnly {
			// All that is asked of the file later is its size: keeping
			// the facts of thousands would cost more than finding them.
			p.facts = facts.Of(src)
			f.KnowCharacters(p.facts.Characters)
		} else {
			j.Parsers.prime(f, src, role)
		}
		refused := p.run(j.rules.text)
		j.report(withoutCascade(p.findings))
		j.remember(f, role, refused)
	}
	if len(files) == 0 {
		return nil
	}
	load := j.Load
	if load == nil {
		load = j.loadEach
	}
	return load(ctx, files, each)
}

// loadEach reads files by themselves, with as many workers as there are CPUs.
// A file that cannot be read is a finding where the judgement is a person's,
// an error where it decides a commit.
func (j *judgement) loadEach(ctx context.Context, files []*tree.File, each func(*tree.File, []byte)) error {
	next := make(chan *tree.File)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(files)) {
		wg.Go(func() {
			for f := range next {
				src, err := f.Bytes()
				if err != nil {
					j.unreadable(f, err)
					continue
				}
				each(f, src)
			}
		})
	}
	defer wg.Wait()
	defer close(next)
	for _, f := range files {
		select {
		case next <- f:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (j *judgement) unreadable(f *tree.File, err error) {
	if j.opt.RefusalsOnly {
		j.fail(err)
		return
	}
	p := Pass{View: j.View, Rule: ruleUnreadable, File: f, Role: j.RoleOf(f.Path), sink: j}
	finding := p.found(Span{}, "cannot be read: %v", errors.Unwrap(err))
	finding.Help = "make it a readable regular file, or take it out of the repository"
	p.emit(finding)
	j.report(p.findings)
}

func (j *judgement) report(fs []Finding) {
	if len(fs) == 0 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.out.Findings = append(j.out.Findings, fs...)
}

// run runs rules on one file (or, with f nil, on the tree) and reports
// whether any refuses it.
func (j *judgement) run(f *tree.File, role Role, src []byte, rules []*Rule) bool {
	p := Pass{View: j.View, File: f, Role: role, text: src, sink: j}
	refused := p.run(rules)
	j.report(withoutCascade(p.findings))
	return refused
}

func (p *Pass) run(rules []*Rule) bool {
	p.refused = false
	for _, r := range rules {
		if r.text != nil && !slices.Contains(r.roles, p.Role) {
			continue
		}
		if p.sink.opt.RefusalsOnly && r.aboutFrontmatter() && !p.Enforced() {
			// What is not enforced may not be taken for clean either.
			p.refused = true
			continue
		}
		p.Rule = r
		r.check(p.File)(p)
	}
	return p.refused
}

// withoutCascade is the one finding that explains all others of a file's text,
// as severe as the worst of them, when there is one.
func withoutCascade(findings []Finding) []Finding {
	for _, cause := range findings {
		if !cause.explainsAll {
			continue
		}
		for i := range findings {
			cause.Severity = min(cause.Severity, findings[i].Severity)
		}
		return []Finding{cause}
	}
	return findings
}
