package agentcli

import (
	"context"
	"fmt"
	"strings"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/agentcli/model/script"
)

func openModel(_ context.Context, name string, _ func(string) string) (model.Provider, error) {
	if path, ok := strings.CutPrefix(name, "script/"); ok {
		return script.Open(path)
	}
	return nil, fmt.Errorf("--model %q: only script/FILE is there", name)
}
