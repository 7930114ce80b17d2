import * as vscode from 'vscode';
import { isInMemory } from './memory';

/**
 * Starts nothing until there is memory: a folder or a Markdown file that lies
 * in a memory repository. In other windows all there is of the extension is
 * this file, which VS Code loads at the first Markdown file. Nor does VS Code
 * wait for the server, which says itself what keeps it from starting.
 */
export function activate(context: vscode.ExtensionContext): void {
	context.subscriptions.push(vscode.commands.registerCommand('memls.createMemory', async () => (await import('./main')).createMemory(context)));
	if (findMemory()) {
		void start(context);
		return;
	}
	const waiting = vscode.Disposable.from(
		vscode.workspace.onDidOpenTextDocument(look),
		vscode.workspace.onDidChangeWorkspaceFolders(look),
	);
	context.subscriptions.push(waiting);

	function look(): void {
		if (findMemory()) {
			waiting.dispose();
			void start(context);
		}
	}
}

export async function deactivate(): Promise<void> {
	await stop?.();
}

let stop: (() => Promise<void>) | undefined;

async function start(context: vscode.ExtensionContext): Promise<void> {
	const main = await import('./main');
	stop = main.stop;
	await main.start(context);
}

function findMemory(): boolean {
	const folders = vscode.workspace.workspaceFolders ?? [];
	const documents = vscode.workspace.textDocuments.filter((d) => d.languageId === 'markdown');
	return [...folders, ...documents].some(({ uri }) => uri.scheme === 'file' && isInMemory(uri.fsPath));
}
