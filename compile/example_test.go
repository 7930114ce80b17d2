package compile_test

import (
	"context"
	"fmt"

	"github.com/memls/memls/compile"
	"github.com/memls/memls/rules/tree"
)

// exampleTree stands for a commit; package gitrepo reads one.
func exampleTree() *tree.Tree {
	text := func(path, s string) *tree.File { return tree.NewFile(path, tree.Regular, "", tree.Buffer(s)) }
	return tree.New([]*tree.File{
		text("MEMORY.md", "# Memory\n- [projects](projects/MEMORY.md)\n"),
		text("human.md", "---\nname: Human\ndescription: The user\n---\n- likes pnpm\n"),
		text("projects/MEMORY.md", "# Projects\n"),
		text("skills/deploy/SKILL.md", "---\nname: deploy\ndescription: This skill should be used when deploying.\n---\n"),
	})
}

func ExampleCompile() {
	prompt, err := compile.Compile(context.Background(), exampleTree(), compile.Options{
		System: "You are an agent with a memory.",
		Skills: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(prompt.Text)
	// Output:
	// You are an agent with a memory.
	//
	// <human>
	// <description>The user</description>
	// - likes pnpm
	// </human>
	//
	// <memory>
	// # Memory
	// - [projects](projects/MEMORY.md)
	// <deferred-memory>
	// <directory path="projects/" index="projects/MEMORY.md" />
	// </deferred-memory>
	// </memory>
	//
	// <available_skills>
	// - `deploy`: This skill should be used when deploying.
	// </available_skills>
}

// What Letta Code's own compiler shows an agent.
func ExampleCompile_files() {
	prompt, err := compile.Compile(context.Background(), exampleTree(), compile.Options{Style: compile.Files})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, part := range prompt.Parts {
		if part.Kind == compile.PartFile {
			fmt.Printf("%s:\n%s\n", part.Path, prompt.Text[part.Offset:part.Offset+part.Bytes])
		}
	}
	// Output:
	// human.md:
	// ---
	// name: Human
	// description: The user
	// ---
	// - likes pnpm
	// MEMORY.md:
	// # Memory
	// - [projects](projects/MEMORY.md)
}

// How much of a context each file takes.
func ExamplePart() {
	prompt, err := compile.Compile(context.Background(), exampleTree(), compile.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, part := range prompt.Parts {
		fmt.Printf("%-9s %-10s %2d bytes, about %2d tokens\n", part.Kind, part.Path, part.Bytes, part.Tokens())
	}
	fmt.Printf("in all about %d tokens\n", prompt.Tokens())
	// Output:
	// file      human.md   48 bytes, about 12 tokens
	// file      MEMORY.md  41 bytes, about 11 tokens
	// deferred             94 bytes, about 24 tokens
	// in all about 56 tokens
}
