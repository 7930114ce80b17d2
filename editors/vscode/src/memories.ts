import * as path from 'node:path';
import * as vscode from 'vscode';
import type { Client } from './client';
import type { Size, Tree } from './protocol';

/** A memory repository that the server knows of. */
export interface Memory {
	readonly root: vscode.Uri;
	readonly name: string;
	readonly core: Size;
}

/** The memories of this window, as the server tells of them. */
export class Memories implements vscode.Disposable {
	private list: readonly Memory[] = [];
	private readonly changed = new vscode.EventEmitter<void>();
	private readonly subscription: vscode.Disposable;

	/** Something in a memory is another than before. */
	readonly onDidChange = this.changed.event;

	constructor(private readonly client: Client) {
		this.subscription = client.onDidChangeMemories((known) => {
			this.list = known.map(({ uri, core }) => {
				const root = vscode.Uri.parse(uri);
				return { root, name: nameOf(root), core };
			});
			this.changed.fire();
		});
	}

	get all(): readonly Memory[] {
		return this.list;
	}

	/** The memory that a file lies in; the innermost of several. */
	around(uri: vscode.Uri | undefined): Memory | undefined {
		if (uri?.scheme !== 'file') {
			return undefined;
		}
		const inside = this.list.filter(({ root }) => uri.fsPath === root.fsPath || uri.fsPath.startsWith(root.fsPath + path.sep));
		return inside.sort((a, b) => b.root.fsPath.length - a.root.fsPath.length)[0];
	}

	/** The memory that a person has before them: that of the editor, or the only one. */
	get current(): Memory | undefined {
		return this.around(vscode.window.activeTextEditor?.document.uri) ?? (this.list.length === 1 ? this.list[0] : undefined);
	}

	/** The current memory, or the one that a person chooses. */
	async choose(): Promise<Memory | undefined> {
		if (this.current !== undefined || this.list.length === 0) {
			return this.current;
		}
		const items = this.list.map((memory) => ({ label: memory.name, description: memory.root.fsPath, memory }));
		const title = vscode.l10n.t('Which memory?');
		return (await vscode.window.showQuickPick(items, { title, placeHolder: title }))?.memory;
	}

	/** The files of a memory, and what is found in them. */
	tree(memory: Memory): Promise<Tree> {
		return this.client.request<Tree>('memls.tree', { uri: memory.root.toString() });
	}

	dispose(): void {
		this.subscription.dispose();
		this.changed.dispose();
	}
}

/** Many memories lie in a folder that is called memory: then the folder above tells more. */
function nameOf(root: vscode.Uri): string {
	const name = path.basename(root.fsPath);
	return name === 'memory' ? path.join(path.basename(path.dirname(root.fsPath)), name) : name;
}
