import { existsSync, readFileSync, statSync } from 'node:fs';
import * as path from 'node:path';

/** What marks the top of a repository as memory; the server looks for the same. */
const markers = ['MEMORY.md', '.memfs.config.json'];
const policyFile = 'letta-memory-layout-policy';

/**
 * Reports whether a file or directory lies in a memory repository. It costs a
 * look at each directory above, and runs nothing.
 */
export function isInMemory(file: string): boolean {
	for (let dir = file; ; dir = path.dirname(dir)) {
		const git = path.join(dir, '.git');
		if (existsSync(git)) {
			return markers.some((name) => existsSync(path.join(dir, name))) || existsSync(path.join(commonDir(git), policyFile));
		}
		if (dir === path.dirname(dir)) {
			return false;
		}
	}
}

/** The git directory that worktrees share. Submodules and worktrees have a file in the place of .git. */
function commonDir(git: string): string {
	try {
		if (statSync(git).isDirectory()) {
			return git;
		}
		const gitDir = path.resolve(path.dirname(git), readFileSync(git, 'utf8').replace(/^gitdir: /, '').trim());
		const common = path.join(gitDir, 'commondir');
		return existsSync(common) ? path.resolve(gitDir, readFileSync(common, 'utf8').trim()) : gitDir;
	} catch {
		return git; // it cannot be read, by the server neither
	}
}
