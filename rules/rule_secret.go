package rules

import (
	"math/bits"
	"slices"
)

var ruleSecret = &Rule{
	ID:       "secret",
	Severity: Warning,
	Summary:  "no credential is in memory",
	Source:   "spec 6",
	Doc: Doc{
		Checks: "A memory file, a skill's Markdown or the config does not hold what looks like a credential: keys of well-known issuers by their prefix, length and characters (AWS, GitHub, GitLab, Slack, OpenAI, Anthropic, Google, Stripe, npm, PyPI and others), JSON web tokens, private keys, a value that looks random after `password`, `token`, `secret` or `api key` and a `:` or `=`, and a password like that in a URL. Placeholders and examples are left alone. The finding never repeats the secret.",
		Why:    "Memory is committed and synced, and sent to a model with every prompt. A key that was in a commit is out, even when the file is mended.",
		Bad:    "GITHUB_TOKEN=ghp_ followed by 36 letters and digits",
		Good:   "GITHUB_TOKEN is in the keychain under \"deploy\"",
	},
	roles: []Role{RoleMemory, RoleIndex, RoleLegacy, RoleSkill, RoleConfig},
	text: func(p *Pass) {
		eachSecret(p.Text(), func(what string, span Span) {
			f := p.found(span, "looks like %s", what)
			f.Help = "keep it outside of the repository, and revoke it if it was ever committed"
			p.emit(f)
		})
	},
}

// Secrets returns where a text holds what the rule secret takes for a
// credential, in order of place and without overlaps.
func Secrets(src []byte) (spans []Span) {
	eachSecret(src, func(_ string, span Span) { spans = append(spans, span) })
	slices.SortFunc(spans, func(a, b Span) int { return a.Start - b.Start })
	return spans
}

// eachSecret calls found for each credential once, the surer kinds first.
func eachSecret(src []byte, found func(what string, span Span)) {
	var seen []Span
	report := func(what string, spans []Span) {
		for _, span := range spans {
			if slices.ContainsFunc(seen, func(s Span) bool { return overlap(s, span) }) {
				continue
			}
			seen = append(seen, span)
			found(what, span)
		}
	}
	report("a private key", privateKeys(src))
	for in := shapesIn(src); in != 0; in &= in - 1 {
		shape := &secretShapes[bits.TrailingZeros64(uint64(in))]
		report(shape.what, shape.find(src))
	}
	report("a password or token", namedSecrets(src))
	report("a password in a URL", urlPasswords(src))
}
