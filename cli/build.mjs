/** Sources → dist/: the hook alone (no yaml, no ajv), the command line, the library, and a small entry that picks. */
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Tests name a folder of their own inside the repo, so that they never run an old build. */
const target = resolve(root, process.argv[2] ?? 'dist');
/** Built beside it and put in place whole, so that nobody runs half a build. */
const dist = `${target}.${process.pid}.tmp`;
mkdirSync(dist, { recursive: true });

/** Changes with every source and package, so that no plan and no compiled code outlives what it was made of. */
const sources = (folder) => readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => (entry.isDirectory() ? sources(join(folder, entry.name)) : [join(folder, entry.name)]));
const digest = createHash('sha256');
for (const file of [...['engine', 'hooks', 'schema'].flatMap((folder) => sources(join(root, folder))), join(root, 'package-lock.json')]) digest.update(readFileSync(file));

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
/** Whether a pattern covers a program is only asked once the analyser has found one. */
const lateCovers = {
  name: 'late-covers',
  setup: (each) => {
    each.onResolve({ filter: /\/command\/covers\.ts$/ }, ({ path }) => ({ path, namespace: 'late-covers' }));
    each.onLoad({ filter: /.*/, namespace: 'late-covers' }, () => ({ contents: "export const covers = (...all) => require('./hook-command.cjs').covers(...all);" }));
    each.onResolve({ filter: /^\.\/hook-command\.cjs$/ }, ({ path }) => ({ path, external: true }));
  },
};
/** What `import.meta.url` is in a module; node:url would have to be loaded for it. */
const URL_OF_FILE = `const bylawUrl = 'file://' + (__filename[0] === '/' ? '' : '/') + encodeURI(__filename.replaceAll('\\\\', '/')).replace(/[?#]/g, encodeURIComponent);`;
/** CommonJS starts faster than modules: no loader and no resolution of its own. Small, because all of it is parsed. */
const hook = { ...common, format: 'cjs', minifySyntax: true, minifyWhitespace: true, supported: { 'dynamic-import': false }, define: { ...common.define, 'import.meta.url': 'bylawUrl' }, banner: { js: URL_OF_FILE } };
/** Parts that are loaded by themselves, and only when they are needed: `import('./command.ts')` is `hook-command.cjs`. */
const PARTS = ['command', 'disarms', 'ensure'].filter((name) => existsSync(join(root, 'hooks', `${name}.ts`)));
const apart = {
  name: 'apart',
  setup: (each) => each.onResolve({ filter: new RegExp(`/(${PARTS.join('|')})\\.ts$`) }, ({ kind, path }) => (kind === 'dynamic-import' ? { path: path.replace(/^.*\/(\w+)\.ts$/, './hook-$1.cjs'), external: true } : undefined)),
};
/** Modules of Node that most calls never use; each takes up to 4 ms to load. They are asked for at their first use. */
const LATE = { 'node:crypto': ['createHash'], 'node:child_process': ['spawn', 'spawnSync'], 'node:os': ['homedir', 'hostname', 'tmpdir', 'userInfo'], 'node:url': ['fileURLToPath', 'pathToFileURL'] };
/** Packages that only some rules need: globs with braces or classes, and JsonLogic. Each is a part of its own. */
const LATE_PACKAGES = {
  minimatch: `const glob = () => require('./hook-glob.cjs');
    export function Minimatch(...all) { return new (glob().Minimatch)(...all); }
    export const braceExpand = (...all) => glob().braceExpand(...all);`,
  'json-logic-js': `let logic;
    const operations = [];
    const ready = () => {
      if (logic === undefined) {
        logic = require('./hook-logic.cjs').default;
        for (const each of operations) logic.add_operation(...each);
      }
      return logic;
    };
    export default { add_operation: (...each) => operations.push(each), apply: (...all) => ready().apply(...all) };`,
};
const late = {
  name: 'late',
  setup: (each) => {
    each.onResolve({ filter: /^(minimatch|json-logic-js)$/ }, ({ path }) => ({ path, namespace: 'late-package' }));
    each.onLoad({ filter: /.*/, namespace: 'late-package' }, ({ path }) => ({ contents: LATE_PACKAGES[path] }));
    each.onResolve({ filter: /^\.\/hook-(glob|logic)\.cjs$/ }, ({ path }) => ({ path, external: true }));
    each.onResolve({ filter: /^node:/ }, ({ path, namespace }) => (path in LATE && namespace !== 'late' ? { path, namespace: 'late' } : undefined));
    each.onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({ contents: LATE[path].map((name) => `export const ${name} = (...all) => require('${path}').${name}(...all);`).join('\n') }));
  },
};
await Promise.all([
  build({ ...hook, entryPoints: ['hooks/entry.ts'], outfile: join(dist, 'hook.cjs'), plugins: [apart, late] }),
  build({ ...hook, entryPoints: ['hooks/run.ts'], outfile: join(dist, 'hook-main.cjs'), plugins: [apart, late, lateCovers] }),
  ...PARTS.map((name) => build({ ...hook, entryPoints: [`hooks/${name}.ts`], outfile: join(dist, `hook-${name}.cjs`), plugins: [apart, late] })),
  build({ ...hook, stdin: { contents: "export { braceExpand, Minimatch } from 'minimatch';", resolveDir: root }, outfile: join(dist, 'hook-glob.cjs') }),
  build({ ...hook, stdin: { contents: "export { default } from 'json-logic-js';", resolveDir: root }, outfile: join(dist, 'hook-logic.cjs') }),
  build({ ...hook, entryPoints: ['hooks/daemon.ts'], outfile: join(dist, 'serve.cjs'), plugins: [apart] }),
  build({ ...common, entryPoints: { cli: 'cli/main.ts' }, outdir: dist, splitting: true, outExtension: { '.js': '.mjs' }, chunkNames: 'cli-[hash]' }),
  build({ ...common, entryPoints: ['hooks/index.ts'], outfile: join(dist, 'index.mjs') }),
]);

// The hook's parts are read without decoding (hooks/boot.ts).
for (const name of readdirSync(dist).filter((each) => each.endsWith('.cjs'))) {
  if (/[^\0-\x7f]/.test(readFileSync(join(dist, name), 'utf8'))) throw new Error(`${name} is not plain ASCII`);
}

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
