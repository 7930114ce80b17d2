// What people do with a memory in VS Code.
import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { Workplace, agentcli, read, root } from './memory.ts';
import { until } from './until.ts';
import { VSCode, squeeze, type Window } from './vscode.ts';

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

/**
 * How often a scenario may begin anew, with a fresh memory and window. VS Code
 * now and then moves the focus between two keys, and no person would go on
 * typing then. What memls does wrong, it does wrong each time.
 */
const attempts = 3;

/** Tests in a window, whose last picture tells what went wrong. */
function inWindow(name: string, target: (dir: string) => Promise<string>, steps: (t: TestContext, window: Window, target: string) => Promise<void>): void {
	test(name, async (t) => {
		for (let attempt = 1; ; attempt++) {
			const opened = await target(path.join(place.dir, `${name} ${attempt}`));
			const window = await vscode.open(opened);
			try {
				return await steps(t, window, opened);
			} catch (err) {
				if (attempt === attempts) {
					throw err;
				}
				t.diagnostic(`begins anew after attempt ${attempt}: ${err instanceof Error ? err.stack : err}`);
			} finally {
				await window.picture(`end of ${name}`);
				await window.close();
			}
		}
	});
}

const memory = (dir: string) => place.memory(dir);

/** A memory whose projects/ has its index. */
async function indexed(dir: string): Promise<string> {
	await place.memory(dir);
	await writeFile(path.join(dir, 'projects/MEMORY.md'), fixedIndex);
	return dir;
}

inWindow('numbers', memory, async (t, window, memory) => {
	await window.openFile('projects/website.md');
	const { budget: { core } } = await agentcli(memory, 'status');
	const size = `${core.characters.toLocaleString('en')} of ${core.limit.toLocaleString('en')} characters`;
	await window.statusBar.filter({ hasText: size }).click();
	await window.view.filter({ hasText: `Core Memory${size}` }).waitFor();
	await window.view.filter({ hasText: missing }).first().waitFor();
	t.diagnostic(`VS Code: ${await window.startup()}ms until its workbench was there`);
	await window.run('Memory: Preview the Compiled Prompt');
	const prompt = squeeze((await agentcli(memory, 'compile', '--skills')).prompt);
	await until('the prompt beside the editor', async () => squeeze(await window.textOf(`Prompt of ${path.basename(memory)}`)) === prompt);
	await window.picture('memory view');
});

inWindow('quick fix', memory, async (_, window, memory) => {
	await window.openFile('projects/website.md');
	await window.page.locator('.monaco-editor .squiggly-error').first().waitFor();
	await window.showProblems();
	await window.problem(missing).first().waitFor();
	await window.goTo(1);
	await window.quickFix('Create projects/MEMORY.md', 'quick fix');
	await until('the index on disk', async () => (await read(memory, 'projects/MEMORY.md')) === fixedIndex);
	await window.problem(missing).first().waitFor({ state: 'detached' });
});

inWindow('rename in the explorer', indexed, async (_, window, memory) => {
	await window.openFile('projects/shop.md'); // so that the explorer shows it
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

inWindow('the view by keys and by ear', indexed, async (_, window, memory) => {
	await window.statusBar.filter({ hasText: 'characters' }).click(); // opens the view
	await appendFile(path.join(memory, 'human.md'), '- more\n'.repeat(3000));
	await window.row('human.md, Core Memory, 21,150 of 20,000 characters (105%), over the limit').waitFor();
	await window.row('Error: 21150 characters exceeds 20000 from maxFileCharacters, human.md:1').waitFor();
	await window.renameRow(window.row('persona.md, Core Memory'), 'self.md');
	await window.row('self.md, Core Memory').waitFor();
	await until('the link on disk', async () => (await read(memory, 'MEMORY.md'))?.includes('[Persona](self.md)'));
});

inWindow('an unsaved index counts', indexed, async (_, window, memory) => {
	const unlisted = 'not listed in projects/MEMORY.md';
	await writeFile(path.join(memory, 'projects/todo.md'), '---\nname: Todo\ndescription: What is left\n---\n\n- Sleep.\n');
	await window.showProblems();
	await window.openFile('projects/todo.md');
	await window.problem(unlisted).first().waitFor();
	await window.openFile('projects/MEMORY.md', 'projects');
	await window.append('MEMORY.md', '- [Todo](todo.md)\n');
	await window.problem(unlisted).first().waitFor({ state: 'detached' });
	assert.equal(await read(memory, 'projects/MEMORY.md'), fixedIndex);
});

inWindow('a server that is killed is started again', memory, async (_, window, memory) => {
	await window.openFile('projects/website.md');
	await window.showProblems();
	await window.problem(missing).first().waitFor();
	const old = await window.servers();
	assert.equal(old.length, 1);
	process.kill(old[0]!, 'SIGKILL');
	await until('another server', async () => (await window.servers()).some((pid) => !old.includes(pid)));
	await window.goTo(1);
	await window.quickFix('Create projects/MEMORY.md');
	await until('the index on disk', async () => (await read(memory, 'projects/MEMORY.md')) === fixedIndex);
	await window.problem(missing).first().waitFor({ state: 'detached' });
	assert.deepEqual(await window.notices.filter({ hasText: /memls|failed/ }).allInnerTexts(), [], 'the status bar tells enough');
});

async function twoFolders(dir: string): Promise<string> {
	await Promise.all(['one', 'two'].map((name) => place.memory(path.join(dir, name))));
	const workspace = path.join(dir, 'both.code-workspace');
	await writeFile(workspace, JSON.stringify({ folders: [{ path: 'one' }, { path: 'two' }] }));
	return workspace;
}

inWindow('two folders', twoFolders, async (_, window, workspace) => {
	const dir = path.dirname(workspace);
	await window.openFile('projects/website.md', 'two');
	await window.openFile('projects/website.md', 'one');
	await window.showProblems();
	await until('the problems of both', async () => (await window.problem(missing).count()) >= 2);
	await window.goTo(1);
	await window.quickFix('Create projects/MEMORY.md');
	await until('the index of one', async () => (await read(dir, 'one/projects/MEMORY.md')) === fixedIndex);
	await window.problem('not listed in MEMORY.md').first().waitFor();
	assert.notEqual(await window.problem(missing).count(), 0);
	assert.equal(await read(dir, 'two/projects/MEMORY.md'), undefined);
});

inWindow('a memory from nothing', (dir) => place.notes(dir), async (_, window, notes) => {
	const made = path.basename(notes) + ' made';
	await window.run('Memory: Create a Memory Repository…');
	await window.answer('What does the new memory hold?', '');
	await window.answer('Block 1', 'persona');
	await window.answer('Block 1: persona', 'I am careful.');
	await window.answer('Block 2', '');
	await window.answer('Folder in which the memory is created', place.dir + path.sep);
	await window.answer('Name of the new folder', made);
	await window.notices.filter({ hasText: 'is made' }).waitFor();
	assert.match(await read(place.dir, made, 'persona.md') ?? '', /I am careful\.\n$/);
	assert.match(await read(place.dir, made, '.git/hooks/pre-commit') ?? '', /memhook/);
	assert.equal((await agentcli(path.join(place.dir, made), 'check')).summary.errors, 0);
});

inWindow('no memory', (dir) => place.notes(dir), async (t, window) => {
	assert.equal(await window.running('memls'), '', 'before Markdown is open');
	await window.openFile('notes.md');
	// A Markdown file wakes the extension for a look around, and no more.
	t.diagnostic(await until('the look', async () => await window.running('memls') || undefined));
	assert.deepEqual(await window.servers(), []);
});
