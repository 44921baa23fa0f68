/** Sources → dist/: the hook alone (no yaml, no ajv), the command line, the library, and a small entry that picks. */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Tests name a folder of their own inside the repo, so that they never run an old build. */
const target = resolve(root, process.argv[2] ?? 'dist');
/** Built beside it and put in place whole, so that nobody runs half a build. */
const dist = `${target}.${process.pid}.tmp`;
mkdirSync(dist, { recursive: true });

/** Changes with every source, so that no plan outlives the code that made it. */
const sources = (folder) => readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => (entry.isDirectory() ? sources(join(folder, entry.name)) : [join(folder, entry.name)]));
const digest = createHash('sha256');
for (const file of ['engine', 'hooks', 'schema'].flatMap((folder) => sources(join(root, folder)))) digest.update(readFileSync(file));

const common = {
  absWorkingDir: root,
  define: { BYLAW_BUILD: JSON.stringify(digest.digest('hex').slice(0, 12)) },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  legalComments: 'none',
  logLevel: 'warning',
  // Packages in CommonJS call require.
  banner: { js: "import { createRequire as bylawRequire } from 'node:module'; const require = bylawRequire(import.meta.url);" },
};
/** CommonJS starts faster than modules: no loader, no resolution of its own. */
const hook = { ...common, format: 'cjs', banner: { js: "const bylawUrl = require('node:url').pathToFileURL(__filename).href;" }, define: { ...common.define, 'import.meta.url': 'bylawUrl' } };
/** The shell analyser, the reader of settings, and what starts a server, are files of their own that most calls never load. */
const apart = { name: 'apart', setup: (each) => each.onResolve({ filter: /\/(command|disarms|ensure)\.ts$/ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path: path.replace(/^.*\/(\w+)\.ts$/, './hook-$1.cjs'), external: true } : undefined)) };
await Promise.all([
  build({ ...hook, entryPoints: ['hooks/entry.ts'], outfile: join(dist, 'hook.cjs'), plugins: [apart] }),
  build({ ...hook, entryPoints: ['hooks/command.ts'], outfile: join(dist, 'hook-command.cjs') }),
  build({ ...hook, entryPoints: ['hooks/disarms.ts'], outfile: join(dist, 'hook-disarms.cjs') }),
  build({ ...hook, entryPoints: ['hooks/ensure.ts'], outfile: join(dist, 'hook-ensure.cjs'), plugins: [apart] }),
  build({ ...hook, entryPoints: ['hooks/daemon.ts'], outfile: join(dist, 'serve.cjs'), plugins: [apart] }),
  build({ ...common, entryPoints: { cli: 'cli/main.ts' }, outdir: dist, splitting: true, outExtension: { '.js': '.mjs' }, chunkNames: 'cli-[hash]' }),
  build({ ...common, entryPoints: ['hooks/index.ts'], outfile: join(dist, 'index.mjs') }),
]);

writeFileSync(
  join(dist, 'bylaw.mjs'),
  `#!/usr/bin/env node
if (process.argv[2] === 'hook') {
  process.argv.splice(2, 1);
  await import('./hook.cjs');
} else await (await import('./cli.mjs')).main(process.argv);
`,
);
chmodSync(join(dist, 'bylaw.mjs'), 0o755);

rmSync(target, { recursive: true, force: true });
renameSync(dist, target);
