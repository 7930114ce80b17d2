import * as vscode from 'vscode';
import { Actions } from './actions';
import { Budget } from './budget';
import { Client } from './client';
import { Memories, type Memory } from './memories';
import type { Node } from './memoryNodes';
import { MemoryView } from './memoryView';
import { Preview } from './preview';
import { updatePrograms } from './programs';

export { createMemory } from './create';

let client: Client | undefined;

/** Starts everything there is: there is memory. */
export async function start(context: vscode.ExtensionContext): Promise<void> {
	const log = vscode.window.createOutputChannel('memls');
	client = new Client(context, log);
	const memories = new Memories(client);
	const actions = new Actions(context, client, memories);
	const preview = new Preview(client, memories);
	const view = new MemoryView(memories, actions);
	context.subscriptions.push(log, client, memories, preview, new Budget(memories), view);

	/** For the memory of a row, else the one that is chosen. */
	const withMemory = (run: (memory: Memory) => Promise<void>) => async (node?: Node) => {
		const memory = node?.memory ?? await memories.choose();
		return memory && run(memory);
	};
	/** For the row of a menu, and those of its kind that are selected with it. Without any it is for the file in the editor. */
	const withRows = (run: (rows: readonly Node[]) => unknown) => (row?: Node, selected: readonly Node[] = []) =>
		run(row === undefined ? [] : [row, ...selected.filter((other) => other !== row && other.item.contextValue === row.item.contextValue)]);
	const commands: Record<string, (node?: Node, nodes?: readonly Node[]) => unknown> = {
		'memls.restart': () => client?.restart(),
		'memls.showLog': () => log.show(),
		'memls.previewPrompt': withMemory((memory) => preview.show(memory)),
		'memls.diffPrompt': withMemory((memory) => preview.diff(memory)),
		'memls.promoteFile': withRows((rows) => actions.promote(rows)),
		'memls.demoteFile': withRows((rows) => actions.demote(rows)),
		'memls.renameFile': (node) => actions.rename(node),
		'memls.renameSelected': () => view.selected && actions.rename(view.selected), // a key says nothing of the row
		'memls.splitFile': (node) => actions.split(node),
	};
	for (const [name, run] of Object.entries(commands)) {
		context.subscriptions.push(vscode.commands.registerCommand(name, run));
	}
	await vscode.commands.executeCommand('setContext', 'memls.active', true);
	await client.start();
	await updatePrograms(context).catch((error) => log.appendLine(String(error)));
}

export async function stop(): Promise<void> {
	await client?.stop();
}
