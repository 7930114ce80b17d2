package agentcli

import (
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// encodingName is the byte pair encoding that tokens counts by. The library
// has it built in: nothing is fetched.
const encodingName = "o200k_base"

// maxCounted is the size from which a text, in bytes, is not counted: it takes
// seconds, and such a file is over every budget.
const maxCounted = 1 << 20

// A counter counts the tokens of a text; nil stands for "not counted".
type counter func(text string) *int

func noCount(string) *int { return nil }

// startCounter loads the vocabulary, which takes a tenth of a second, while
// other work goes on. Text that looks like a special token counts as text.
func startCounter() counter {
	load := sync.OnceValue(codec.NewO200kBase)
	go load()
	return func(text string) *int {
		if len(text) > maxCounted {
			return nil
		}
		n, err := load().Count(text)
		if err != nil {
			return nil
		}
		return &n
	}
}
