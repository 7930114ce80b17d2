import type { Diagnostic } from 'vscode-languageclient/node';

// What memls and this extension say to each other beyond the protocol.

export const memoryChanged = 'memls/memoryChanged';

/** How much of a budget is used, as the rules of the server see it. */
export type Level = 'ok' | 'near' | 'over';

/** Sizes are in characters (Unicode code points); tokens are an estimate. */
export interface Size {
	readonly characters: number;
	readonly tokens: number;
	readonly limit: number | null;
	readonly level: Level;
}

export interface KnownMemory {
	readonly uri: string;
	readonly core: Size;
}

export type Group = 'core' | 'deferred' | 'skills' | 'other';

export interface MemoryFile {
	readonly uri: string;
	readonly path: string;
	readonly tier: string;
	readonly group: Group;
	readonly name: string;
	readonly description: string;
	readonly characters: number | null;
	readonly tokens: number | null;
	readonly limit: number | null;
	readonly level: Level;
}

export interface Problems {
	readonly uri: string;
	readonly path: string;
	readonly diagnostics: readonly Diagnostic[];
}

/** The answer of memls.tree. */
export interface Tree {
	readonly root: string;
	readonly core: Size;
	readonly files: readonly MemoryFile[];
	readonly problems: readonly Problems[];
}

/** The answer of memls.compilePrompt. */
export interface Prompt {
	readonly prompt: string;
	readonly tokens: number;
}

/** The answer of memls.checkStaged. Lines and columns are from 1; columns count code points. */
export interface Staged {
	readonly errors: number;
	readonly findings: readonly {
		readonly rule: string;
		readonly severity: string;
		readonly path: string;
		readonly message: string;
		readonly help?: string;
		readonly range?: { readonly start: { readonly line: number; readonly column: number } };
	}[];
}
