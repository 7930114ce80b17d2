// Command ruledocs writes the rules' pages into a directory, and removes those
// of rules that are gone.
package main

import (
	"log"
	"os"
	"path/filepath"

	"github.com/memls/memls/agentcli"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: ruledocs DIR")
	}
	dir := os.Args[1]
	if err := os.MkdirAll(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	pages := agentcli.RulePages()
	old, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range old {
		if _, ok := pages[filepath.Base(file)]; !ok {
			if err := os.Remove(file); err != nil {
				log.Fatal(err)
			}
		}
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
