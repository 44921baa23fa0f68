/** The first policy of a project: bylaw.yaml, one commented rule and its test. */
import type { Level } from '../../engine/model.ts';

export interface StarterOptions {
  readonly packs: readonly string[];
  /** Undefined: each pack keeps its own, and the project's rules are strict. */
  readonly level?: Level;
  /** From the project's folder; undefined where the schema lies outside. */
  readonly schemas?: string;
}

/** Every other pack brings it along; here it is said. */
const GUARD = 'self-protection';

/** Texts by path from the project's folder. */
export function starterFiles({ packs, level, schemas }: StarterOptions): Readonly<Record<string, string>> {
  const schema = (name: string, up: string): string => (schemas === undefined ? '' : `# yaml-language-server: $schema=${up}${schemas}/${name}.schema.json\n`);
  const names = [...new Set([...packs, GUARD])].map((name) => `bylaw:${name}`);
  return {
    'bylaw.yaml': `${schema('policy', '')}# The house rules of this project. Rules of your own go into policies/*.yaml.
# bylaw check   finds mistakes       bylaw test      plays policies/*.test.yaml
# bylaw show    what is in force     bylaw explain   why something is refused
bylaw: 1

# Rules and lists that are taken over. self-protection keeps the agent off these
# files, off bylaw's state and off the settings that call bylaw.
extends: [${names.join(', ')}]

# strict: what a rule denies is refused. guidance: the agent is told, and the
# call passes. observe: it is only recorded. A level here is for all rules that
# have none of their own; without it packs keep theirs, and yours are strict.
${level === undefined ? '# level: guidance' : `level: ${level}`}
`,
    'policies/first-rule.yaml': `${schema('policy', '../')}# One rule to start from. Change it, or add others below it.
bylaw: 1
rules:
  secrets-stay-unread:                  # an id that says what is true when kept
    # What it is about: any tool and any shell line that touches such a file.
    match: { path: ['**/.env', '**/.env.local', '**/.env.*.local'] }
    # What the agent is told, and what it can do instead.
    deny: '{path} may hold secrets, and is not read.'
    instead: Read .env.example, or ask the person for the one value you need.
`,
    'policies/first-rule.test.yaml': `${schema('test', '../')}# What the agent does, step by step, and what comes of it: bylaw test
policy: first-rule.yaml
tests:
  secrets-stay-unread:
    whatever the tool:
      - Read .env: { expect: deny, says: may hold secrets }
      - Bash cat app/.env.local: deny
    other files are read:
      - Read .env.example: allow
      - Read src/a.ts: allow
`,
  };
}
