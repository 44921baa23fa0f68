/** What a step expects × what came → the differences, in words. */
import type { Json } from '../../engine/model.ts';
import type { Expect } from './format.ts';

/** What one hook call or command gave. */
export interface Came {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Said {
  readonly decision: 'none' | 'allow' | 'deny' | 'block' | 'ask';
  readonly reason: string;
  readonly context: string;
  /** What no hook may answer. */
  readonly fault?: string;
}

/** The host's reading of what the hook printed. */
export function heard(came: Came, event: string): Said {
  const nothing: Said = { decision: 'none', reason: '', context: '' };
  if (came.code !== 0) return { ...nothing, fault: `the hook ended with ${came.code}: ${came.stderr.trim()}` };
  if (came.stdout.trim() === '') return nothing;
  let output: Record<string, Json>;
  try {
    output = JSON.parse(came.stdout);
  } catch {
    return { ...nothing, fault: `the hook printed no JSON: ${came.stdout.slice(0, 200)}` };
  }
  const specific = asObject(output['hookSpecificOutput']);
  const permission = text(specific['permissionDecision']);
  const reason = text(specific['permissionDecisionReason']) || text(output['reason']);
  const told = [text(specific['additionalContext']), text(output['systemMessage'])].filter((part) => part !== '').join('\n');
  // A refused stop has one text, which the agent reads; without a message of its own that text is the context too.
  const context = told === '' && event.endsWith('Stop') ? reason : told;
  if (permission === 'allow' || output['continue'] === false) return { decision: 'allow', reason, context, fault: `the hook answered ${JSON.stringify(output)}` };
  const decision = permission === 'deny' || permission === 'ask' ? permission : output['decision'] === 'block' ? 'block' : told !== '' || reason !== '' ? 'allow' : 'none';
  return { decision, reason, context };
}

export function differences(expect: Expect, said: Said, came: Came): readonly string[] {
  const faults: string[] = said.fault === undefined ? [] : [said.fault];
  const { decision } = expect;
  if (decision !== undefined && said.decision !== decision && !(decision === 'allow' && said.decision === 'none')) {
    faults.push(`expected ${decision}, got ${said.decision}${said.reason || said.context ? `: ${(said.reason || said.context).slice(0, 300)}` : ''}`);
  }
  const texts = { reason: said.reason, context: said.context, stdout: came.stdout };
  for (const part of ['reason', 'context', 'stdout'] as const) {
    const got = texts[part];
    for (const piece of expect[`${part}_contains`] ?? []) if (!includes(got, piece)) faults.push(`${part} does not contain ${JSON.stringify(piece)}: ${got.slice(0, 400)}`);
    for (const piece of expect[`${part}_not_contains`] ?? []) if (includes(got, piece)) faults.push(`${part} contains ${JSON.stringify(piece)}: ${got.slice(0, 400)}`);
    for (const pattern of expect[`${part}_matches`] ?? []) if (!regular(pattern).test(got)) faults.push(`${part} does not match ${pattern}: ${JSON.stringify(got.slice(0, 400))}`);
  }
  return faults;
}

export function includes(text: string, piece: string): boolean {
  return text.toLowerCase().includes(piece.toLowerCase());
}

/** `(?s)…` and `(?i)…` at the beginning become flags. */
export function regular(pattern: string): RegExp {
  const [, flags = '', rest = pattern] = /^\(\?([a-z]+)\)([\s\S]*)$/.exec(pattern) ?? [];
  return new RegExp(rest, flags.replace(/[^ims]/g, ''));
}

/** Deep subset with $absent $present $len $re $last; lists are compared as wholes. */
export function subset(expected: Json | undefined, got: Json | undefined, at: string): readonly string[] {
  if (isObject(expected)) {
    const operators = Object.keys(expected).filter((key) => key.startsWith('$'));
    if (operators.length > 0) return operators.flatMap((operator) => operate(operator, expected[operator] ?? null, got, at));
    if (!isObject(got)) return [`${at}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`];
    return Object.entries(expected).flatMap(([key, each]) => subset(each, Object.hasOwn(got, key) ? got[key] : undefined, at === '' ? key : `${at}.${key}`));
  }
  if (Array.isArray(expected) && Array.isArray(got) && expected.length === got.length) return expected.flatMap((each: Json, index) => subset(each, got[index], `${at}[${index}]`));
  return JSON.stringify(expected) === JSON.stringify(got) ? [] : [`${at}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`];
}

function operate(operator: string, wanted: Json, got: Json | undefined, at: string): readonly string[] {
  const wrong = [`${at}: expected ${operator} ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`];
  const list = Array.isArray(got) ? got : undefined;
  switch (operator) {
    case '$absent':
      return (got === undefined) === wanted ? [] : wrong;
    case '$present':
      return (got !== undefined && got !== null) === wanted ? [] : wrong;
    case '$len':
      return (list?.length ?? (typeof got === 'string' ? got.length : undefined)) === wanted ? [] : wrong;
    case '$re':
      return typeof got === 'string' && regular(String(wanted)).test(got) ? [] : wrong;
    case '$last':
      return list === undefined || list.length === 0 ? wrong : subset(wanted, list.at(-1), `${at}[last]`);
    default:
      return [`${at}: the operator ${operator} is not known`];
  }
}

export function isObject(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asObject(value: Json | undefined): Readonly<Record<string, Json>> {
  return isObject(value) ? value : {};
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
