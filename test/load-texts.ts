/** Policies from texts in memory, through the real loader. */
import { dirname, join } from 'node:path';
import { load, type Loaded } from '../engine/load/load.ts';
import type { Reader } from '../engine/load/read.ts';
import { readSchema } from '../engine/plan/compile.ts';

const schema = readSchema();

/** The first file is the main one; beside bylaw.yaml, files in policies/ are part of it. */
export function loadTexts(policies: Readonly<Record<string, string>>): Loaded {
  const names = Object.keys(policies);
  const reader: Reader = {
    read: (file) => (policies[file] === undefined ? { fault: 'missing-file', why: 'there is no such file' } : { text: policies[file] }),
    locate: (name, from) => {
      const path = name.startsWith('bylaw:') ? `${name.slice(6)}.yaml` : join(dirname(from), name);
      return policies[path] === undefined ? undefined : path;
    },
    packs: () => names.filter((name) => !name.includes('/')).map((name) => name.replace('.yaml', '')),
  };
  const main = names[0] ?? 'bylaw.yaml';
  const parts = main === 'bylaw.yaml' ? names.filter((name) => name.startsWith('policies/')) : [];
  return load({ main, parts, label: (file) => file }, { reader, schema, trusts: () => true });
}
