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
	context.subscriptions.push(log, client, memories, preview, new Budget(memories), new MemoryView(memories, actions));

	/** For the memory of a row, else the one that is chosen. */
	const withMemory = (run: (memory: Memory) => Promise<void>) => async (node?: Node) => {
		const memory = node?.memory ?? await memories.choose();
		return memory && run(memory);
	};
	const commands: Record<string, (node?: Node) => unknown> = {
		'memls.restart': () => client?.restart(),
		'memls.showLog': () => log.show(),
		'memls.previewPrompt': withMemory((memory) => preview.show(memory)),
		'memls.diffPrompt': withMemory((memory) => preview.diff(memory)),
		'memls.promoteFile': (node) => actions.promote(node),
		'memls.demoteFile': (node) => actions.demote(node),
		'memls.renameFile': (node) => actions.rename(node),
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
