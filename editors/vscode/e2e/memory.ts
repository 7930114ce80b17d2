// Memories to open, and what is on disk and in the process list.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The root of this project. */
export const root = path.resolve(import.meta.dirname, '../../..');

/** A directory that goes when it is disposed of. */
export class Workplace {
	readonly dir: string;

	private constructor(dir: string) {
		this.dir = dir;
	}

	static async make(): Promise<Workplace> {
		const place = new Workplace(await realpath(await mkdtemp(path.join(tmpdir(), 'memls-e2e-'))));
		await run('go', ['run', './editors/demo', '-only-create', place.template], { cwd: root });
		return place;
	}

	private get template(): string {
		return path.join(this.dir, '.template');
	}

	/** Makes dir the example memory: projects/ is new, and has no index. */
	async memory(dir: string): Promise<string> {
		await cp(this.template, dir, { recursive: true });
		return dir;
	}

	/** Makes dir a directory of Markdown that is no memory. */
	async notes(dir: string): Promise<string> {
		await mkdir(dir);
		await cp(path.join(root, 'CONTRIBUTING.md'), path.join(dir, 'notes.md'));
		await run('git', ['init', '-q', dir]);
		return dir;
	}

	async remove(): Promise<void> {
		await rm(this.dir, { recursive: true, force: true, maxRetries: 3 });
	}
}

/** The text of a file, or undefined when it is not there. */
export async function read(...name: string[]): Promise<string | undefined> {
	return readFile(path.join(...name), 'utf8').catch(() => undefined);
}

/** What agentcli prints, as JSON. */
export async function agentcli(memory: string, ...args: string[]): Promise<any> {
	const { stdout } = await run(path.join(root, 'bin', 'agentcli'), ['-C', memory, ...args, '--format', 'json']);
	return JSON.parse(stdout);
}

/** The processes whose program lies in a directory. */
export async function processes(dir: string): Promise<number[]> {
	const found: number[] = [];
	for (const entry of await readdir('/proc')) {
		const program = await readlink(`/proc/${entry}/exe`).catch(() => '');
		if (/^\d+$/.test(entry) && program.startsWith(dir + path.sep)) {
			found.push(Number(entry));
		}
	}
	return found;
}
