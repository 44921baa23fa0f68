/** One JSON line per verdict that says something: who, what, which rules, which decision. Append-only. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCode } from '../engine/state/lock.ts';
import type { Event, Finding, Json, JsonObject, Verdict } from '../engine/model.ts';

export interface Entry {
  readonly id: string;
  readonly time: string;
  readonly session: string;
  /** `main` or the agent's id. */
  readonly thread: string;
  readonly by: readonly string[];
  readonly event: string;
  readonly tool?: string;
  readonly agent?: string;
  readonly input?: JsonObject;
  readonly decision: Verdict['decision'];
  readonly passes: boolean;
  readonly rules: readonly AuditedRule[];
  readonly failures?: readonly string[];
}

export type AuditedRule = Pick<Finding, 'rule' | 'home' | 'at' | 'level' | 'written' | 'decision' | 'heard' | 'label' | 'bypassed' | 'text'>;

export function auditFile(folder: string): string {
  return join(folder, 'audit.jsonl');
}

/** Returns what went wrong. A verdict is kept if a rule that speaks fired, or with `audit: all`. */
export function appendAudit(folder: string, event: Event, verdict: Verdict, which: 'said' | 'all'): readonly string[] {
  const spoke = verdict.findings.filter((finding) => finding.written !== 'none');
  if (which === 'said' && spoke.length === 0 && verdict.failures.length === 0) return [];
  try {
    const line = `${JSON.stringify(entryOf(event, verdict, spoke))}\n`;
    // One write of one line: appends of parallel hooks do not mix.
    const append = (): void => appendFileSync(auditFile(folder), line, { mode: 0o600 });
    try {
      append();
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      append();
    }
    return [];
  } catch (error) {
    return [`the audit can not be written: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function entryOf(event: Event, verdict: Verdict, spoke: readonly Finding[]): Entry {
  return {
    id: nextId(event.now),
    time: new Date(event.now).toISOString(),
    session: event.session,
    thread: event.thread,
    by: event.by,
    event: event.event,
    ...(event.tool === undefined ? {} : { tool: event.tool }),
    ...(event.agent === undefined ? {} : { agent: event.agent }),
    ...(event.input === undefined ? {} : { input: bounded(event.input) }),
    decision: verdict.decision,
    passes: verdict.passes,
    rules: spoke.map(({ rule, home, at, level, written, decision, heard, label, bypassed, text }) => ({
      rule, home, at, level, written, decision, heard, text: text.slice(0, LONGEST), ...(label === undefined ? {} : { label }), ...(bypassed === undefined ? {} : { bypassed }),
    })),
    ...(verdict.failures.length === 0 ? {} : { failures: verdict.failures.map((failure) => `${failure.rule}: ${failure.fact}: ${failure.why}`) }),
  };
}

let written = 0;

/** Nobody else has it: the time, the process, and how many it wrote before. */
function nextId(now: number): string {
  return `${now.toString(36)}-${process.pid.toString(36)}-${(written++).toString(36)}`;
}

const LONGEST = 500;
/** What a file will hold is nobody's business here; its length is kept. */
const CONTENTS = ['content', 'new_string', 'old_string', 'new_source', 'edits'];
const SECRET = /(pass(word|wd)?|secret|token|api[-_]?key|authorization|bearer)/i;

function bounded(input: JsonObject): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [key, value] of Object.entries(input)) {
    if (CONTENTS.includes(key)) kept[`${key}_length`] = typeof value === 'string' ? value.length : JSON.stringify(value).length;
    else if (SECRET.test(key)) kept[key] = '[redacted]';
    else {
      const text = redacted(typeof value === 'string' ? value : JSON.stringify(value));
      kept[key] = text.length > LONGEST ? text.slice(0, LONGEST) : typeof value === 'string' ? text : value;
      if (text.length > LONGEST) kept[`${key}_truncated`] = true;
    }
  }
  return kept;
}

/** `--password x`, `TOKEN=x`, `Bearer x` */
function redacted(text: string): string {
  return text.replace(/((?:pass(?:word|wd)?|secret|token|api[-_]?key)["']?\s*[=: ]\s*|bearer\s+)(["']?)[^\s"']{4,}\2/gi, '$1[redacted]');
}

export function readAudit(folder: string, session?: string): readonly Entry[] {
  let text: string;
  try {
    text = readFileSync(auditFile(folder), 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    if (line === '' || (session !== undefined && !line.includes(session))) return [];
    try {
      const entry: Entry = JSON.parse(line);
      return session === undefined || entry.session === session ? [entry] : [];
    } catch {
      return [];
    }
  });
}
