// Puts together in out/ what a .vsix holds, the programs apart: see package.sh.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const out = 'out';
const schemas = '../../lsp/schema';

const json = async (name) => JSON.parse(await readFile(name, 'utf8'));
const write = (name, value) => writeFile(`${out}/${name}`, JSON.stringify(value, undefined, '\t') + '\n');

/**
 * Adds the server's settings, as its schema has them, to those of the
 * extension. What package.json says of one of them is added to it.
 */
function addSettings(manifest, strings, schema) {
	const ours = manifest.contributes.configuration.properties;
	for (const [name, property] of Object.entries(schema.properties)) {
		const key = name.replace(/^memls\./, 'setting.');
		strings[key] = property.description;
		ours[name] = { ...property, description: `%${key}%`, ...ours[name] };
	}
}

await rm(out, { recursive: true, force: true });
await mkdir(out);

const manifest = await json('package.json');
const strings = await json('package.nls.json');
addSettings(manifest, strings, await json(`${schemas}/settings.schema.json`));
delete manifest.devDependencies;
delete manifest.scripts;
manifest.files = ['**'];
await write('package.json', manifest);
await write('package.nls.json', strings);

await build({
	entryPoints: ['src/extension.ts', 'src/main.ts'],
	outdir: out,
	bundle: true,
	minify: true,
	platform: 'node',
	format: 'cjs',
	target: 'node18',
	// main is loaded when there is memory, and not before; by require, as VS Code loads extensions.
	external: ['vscode', './main'],
	supported: { 'dynamic-import': false },
	logLevel: 'warning',
});

for (const [from, to] of [
	['package.nls.zh-cn.json'], ['l10n'], ['media'], ['README.md'],
	['../../LICENSE', 'LICENSE'], [`${schemas}/memfs-config.schema.json`, 'memfs-config.schema.json'],
]) {
	await cp(from, `${out}/${to ?? from}`, { recursive: true });
}
