// What people do with a memory in VS Code.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { Workplace, agentcli, processes, read, root } from './memory.ts';
import { until } from './until.ts';
import { VSCode, type Window } from './vscode.ts';

const missing = 'missing required index projects/MEMORY.md';
const fixedIndex = `# Projects

- [Shop](shop.md) — How payments work
- [Website](website.md) — Stack, hosting and open questions of the website
`;

let place: Workplace;
let vscode: VSCode;

before(async () => {
	place = await Workplace.make();
	vscode = await VSCode.start(place.dir, path.join(root, 'dist', 'memls-linux-x64.vsix'));
});
after(async () => {
	await vscode?.stop();
	await place?.remove();
});

/** Tests in a window, whose last picture tells what went wrong. */
function inWindow(name: string, target: () => Promise<string>, steps: (t: TestContext, window: Window, target: string) => Promise<void>): void {
	test(name, async (t) => {
		const opened = await target();
		const window = await vscode.open(opened);
		try {
			await steps(t, window, opened);
		} finally {
			await window.picture(`end of ${name}`);
			await window.close();
		}
	});
}

inWindow('a memory', () => place.memory('memory'), async (t, window, memory) => {
	const index = () => read(memory, 'projects/MEMORY.md');

	await t.test('numbers', async () => {
		await window.openFile('projects/website.md');
		const { budget: { core } } = await agentcli(memory, 'status');
		const size = `${core.characters.toLocaleString('en')} of ${core.limit.toLocaleString('en')} characters`;
		await window.statusBar.filter({ hasText: size }).click();
		await window.view.filter({ hasText: `Core Memory${size}` }).waitFor();
		await window.view.filter({ hasText: missing }).first().waitFor();
		t.diagnostic(`VS Code: ${await window.startup()}ms until its workbench was there`);
		await window.run('Memory: Preview the Compiled Prompt');
		const prompt = squeeze((await agentcli(memory, 'compile', '--skills')).prompt);
		await until('the prompt beside the editor', async () => squeeze(await window.textOf('Prompt of memory')) === prompt);
		await window.picture('memory view');
		await window.run('View: Close All Editors');
	});

	await t.test('quick fix', async () => {
		await window.run('View: Show Explorer');
		await window.openFile('projects/website.md');
		await window.page.locator('.monaco-editor .squiggly-error').first().waitFor();
		await window.showProblems();
		await window.problem(missing).first().waitFor();
		await window.goTo(1);
		await window.quickFix('Create projects/MEMORY.md', 'quick fix');
		await until('the index on disk', async () => (await index()) === fixedIndex);
		await window.problem(missing).first().waitFor({ state: 'detached' });
	});

	await t.test('rename in the explorer', async () => {
		await window.rename('shop.md', 'store.md');
		for (const [name, link] of [['projects/website.md', '[the shop](store.md)'], ['projects/MEMORY.md', '[Shop](store.md)']] as const) {
			await window.openFile(name, 'projects');
			await until(`the link in ${name}`, async () => squeeze(await window.textOf(path.basename(name))).includes(squeeze(link)));
			await until(`the link in ${name} on disk`, async () => {
				await window.page.keyboard.press('Control+S');
				return (await read(memory, name))?.includes(link);
			});
		}
	});

	const unlisted = 'not listed in projects/MEMORY.md';
	await t.test('an unsaved index counts', async () => {
		await writeFile(path.join(memory, 'projects/todo.md'), '---\nname: Todo\ndescription: What is left\n---\n\n- Sleep.\n');
		await window.openFile('projects/todo.md');
		await window.problem(unlisted).first().waitFor();
		const saved = await index();
		await window.openFile('projects/MEMORY.md');
		await window.page.keyboard.press('Control+End');
		await window.page.keyboard.insertText('- [Todo](todo.md)\n');
		await window.problem(unlisted).first().waitFor({ state: 'detached' });
		assert.equal(await index(), saved);
	});

	await t.test('a server that is killed is started again', async () => {
		const old = await processes(vscode.extensions);
		assert.equal(old.length, 1);
		process.kill(old[0]!, 'SIGKILL');
		await until('another server', async () => (await processes(vscode.extensions)).some((pid) => !old.includes(pid)));
		await window.goTo(1);
		await until('a problem from it', async () => {
			await window.page.keyboard.press('Control+Z');
			return window.problem(unlisted).first().waitFor({ timeout: 5000 }).then(() => true, () => false);
		});
		assert.deepEqual(await window.notices.filter({ hasText: /memls|failed/ }).allInnerTexts(), [], 'the status bar tells enough');
	});
});

/** Text without white space, which an editor wraps as it likes. */
function squeeze(text: string): string {
	return text.replace(/\s+/g, '');
}

async function twoFolders(): Promise<string> {
	await Promise.all([place.memory('one'), place.memory('two')]);
	const workspace = path.join(place.dir, 'both.code-workspace');
	await writeFile(workspace, JSON.stringify({ folders: [{ path: 'one' }, { path: 'two' }] }));
	return workspace;
}

inWindow('two folders', twoFolders, async (_, window) => {
	await window.openFile('projects/website.md', 'two');
	await window.openFile('projects/website.md', 'one');
	await window.showProblems();
	await until('the problems of both', async () => (await window.problem(missing).count()) >= 2);
	await window.goTo(1);
	await window.quickFix('Create projects/MEMORY.md');
	await until('the index of one', async () => (await read(place.dir, 'one/projects/MEMORY.md')) === fixedIndex);
	await window.problem('not listed in MEMORY.md').first().waitFor();
	assert.notEqual(await window.problem(missing).count(), 0);
	assert.equal(await read(place.dir, 'two/projects/MEMORY.md'), undefined);
});

inWindow('no memory', () => place.notes('notes'), async (t, window) => {
	assert.equal(await window.running('memls'), '', 'before Markdown is open');
	await window.openFile('notes.md');
	// A Markdown file wakes the extension for a look around, and no more.
	t.diagnostic(await until('the look', async () => await window.running('memls') || undefined));
	assert.deepEqual(await processes(vscode.extensions), []);
});
