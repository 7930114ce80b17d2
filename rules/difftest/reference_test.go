package difftest_test

import (
	"fmt"

	"github.com/memls/memls/rules/difftest/oracle"
)

// ask has the reference judge each repository.
func ask(o *oracle.Oracle, repos ...*repo) ([]oracle.Answer, error) {
	commits := make([]oracle.Commit, len(repos))
	for i, r := range repos {
		commits[i] = oracle.Commit{
			Policy: string(r.policy), Approve: r.approve,
			Config: r.plainConfig, Files: oracleFiles(r.files), Head: oracleFiles(r.head),
		}
	}
	return o.Judge(commits)
}

func oracleFiles(files []file) []oracle.File {
	out := make([]oracle.File, len(files))
	for i, f := range files {
		out[i] = oracle.File{Path: []byte(f.path), Mode: fmt.Sprintf("%06o", f.mode), Text: append([]byte{}, f.text...)}
	}
	return out
}
