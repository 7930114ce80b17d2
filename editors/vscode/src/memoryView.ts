import * as vscode from 'vscode';
import { message } from './client';
import type { Actions } from './actions';
import type { Memories } from './memories';
import { groupsOf, memoryNode, Node } from './memoryNodes';

const dragged = 'application/vnd.code.tree.memls.memory';

/** Changes that come faster than this (milliseconds), as one types, are shown together. */
const settleTime = 300;

/** The Memory view: what the server tells of the memories, and files that can be dragged between tiers. */
export class MemoryView implements vscode.TreeDataProvider<Node>, vscode.TreeDragAndDropController<Node>, vscode.Disposable {
	readonly dragMimeTypes = ['text/uri-list'];
	readonly dropMimeTypes = [dragged];

	private readonly changed = new vscode.EventEmitter<void>();
	readonly onDidChangeTreeData = this.changed.event;

	private readonly view: vscode.TreeView<Node>;
	private readonly subscriptions: vscode.Disposable[];
	private timer: NodeJS.Timeout | undefined;
	private stale = false;
	private asking = false;

	constructor(private readonly memories: Memories, private readonly actions: Actions) {
		this.view = vscode.window.createTreeView('memls.memory', {
			treeDataProvider: this, dragAndDropController: this, showCollapseAll: true, canSelectMany: true,
		});
		this.subscriptions = [
			this.changed, this.view,
			memories.onDidChange(() => this.changedLately()),
			this.view.onDidChangeVisibility(() => this.refresh()),
		];
	}

	/** The row that is selected; the first of several. */
	get selected(): Node | undefined {
		return this.view.selection[0];
	}

	getTreeItem(node: Node): vscode.TreeItem {
		return node.item;
	}

	async getChildren(node?: Node): Promise<Node[]> {
		if (node !== undefined) {
			return node.children;
		}
		this.asking = true;
		try {
			const groups = await Promise.all(this.memories.all.map(async (memory) => groupsOf(memory, await this.memories.tree(memory))));
			this.view.message = undefined;
			return groups.length === 1 ? groups[0]! : groups.map((children, i) => memoryNode(this.memories.all[i]!, children));
		} catch (error) {
			this.view.message = message(error);
			return [];
		} finally {
			this.asking = false;
			if (this.stale) {
				this.changedLately();
			}
		}
	}

	handleDrag(nodes: readonly Node[], data: vscode.DataTransfer): void {
		data.set(dragged, new vscode.DataTransferItem(nodes.filter((node) => node.path)));
		data.set('text/uri-list', new vscode.DataTransferItem(nodes.flatMap((node) => node.uri?.toString() ?? []).join('\r\n')));
	}

	async handleDrop(target: Node | undefined, data: vscode.DataTransfer): Promise<void> {
		const nodes: readonly Node[] = data.get(dragged)?.value ?? [];
		for (const node of nodes) {
			await this.actions.drop(node, target);
		}
	}

	dispose(): void {
		clearTimeout(this.timer);
		this.subscriptions.forEach((s) => s.dispose());
	}

	private changedLately(): void {
		this.stale = true;
		this.timer ??= setTimeout(() => {
			this.timer = undefined;
			this.refresh();
		}, settleTime);
	}

	/** A view that nobody sees asks for nothing, and one that waits for an answer not yet. */
	private refresh(): void {
		if (this.stale && !this.asking && this.view.visible) {
			this.stale = false;
			this.changed.fire();
		}
	}
}
