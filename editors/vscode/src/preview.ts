import * as path from 'node:path';
import * as vscode from 'vscode';
import { message, type Client } from './client';
import type { Memories, Memory } from './memories';
import type { Prompt } from './protocol';

const scheme = 'memls-prompt';

/** What is compiled: the last commit, or the working tree with what is not saved. */
type At = 'head' | 'worktree';

/** The prompt that an agent gets from its memory, as a document that follows it. */
export class Preview implements vscode.TextDocumentContentProvider, vscode.Disposable {
	private readonly changed = new vscode.EventEmitter<vscode.Uri>();
	readonly onDidChange = this.changed.event;
	private readonly subscriptions: vscode.Disposable[];

	constructor(private readonly client: Client, private readonly memories: Memories) {
		this.subscriptions = [
			this.changed,
			vscode.workspace.registerTextDocumentContentProvider(scheme, this),
			memories.onDidChange(() => this.refresh()),
		];
	}

	async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
		const { root, at } = JSON.parse(uri.query) as { root: string; at: At };
		try {
			return (await this.client.request<Prompt>('memls.compilePrompt', { uri: root, at })).prompt;
		} catch (error) {
			return message(error); // such as: there is no commit yet
		}
	}

	/** Shows the prompt of the last commit beside the editor. */
	async show(memory: Memory): Promise<void> {
		await vscode.window.showTextDocument(uriOf(memory, 'head'), { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: false });
	}

	/** Shows what a commit of everything would change. */
	async diff(memory: Memory): Promise<void> {
		const title = vscode.l10n.t('Prompt of {0}: last commit ↔ if you committed now', memory.name);
		await vscode.commands.executeCommand('vscode.diff', uriOf(memory, 'head'), uriOf(memory, 'worktree'), title);
	}

	dispose(): void {
		this.subscriptions.forEach((s) => s.dispose());
	}

	private refresh(): void {
		if (this.memories.all.length === 0) {
			return; // the server is not there
		}
		for (const { uri } of vscode.workspace.textDocuments) {
			if (uri.scheme === scheme) {
				this.changed.fire(uri);
			}
		}
	}
}

function uriOf(memory: Memory, at: At): vscode.Uri {
	const name = at === 'head' ? vscode.l10n.t('Prompt of {0}', path.basename(memory.name)) : vscode.l10n.t('Next prompt of {0}', path.basename(memory.name));
	return vscode.Uri.from({ scheme, path: `/${name}.md`, query: JSON.stringify({ root: memory.root.toString(), at }) });
}
