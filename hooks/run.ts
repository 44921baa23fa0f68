/** `bylaw hook`: one JSON object on stdin → at most one on stdout. Never throws, never says allow. */
import { realpathSync } from 'node:fs';
import { EVENTS } from '../engine/events.ts';
import type { Event, JsonObject, Verdict } from '../engine/model.ts';
import type { Cached } from '../engine/plan/cache.ts';
import { homeFolder, projectKey, stateFolder } from '../engine/state/places.ts';
import { openStore, type Store } from '../engine/state/store.ts';
import { answer } from './answer.ts';
import { appendAudit } from './audit.ts';
import { doDeeds } from './deeds.ts';
import { decode, encode } from './hosts/claude-code.ts';
import { findOutside } from './outside.ts';
import { planInForce, type InForce } from './plan.ts';
import { projectOf, type Call } from './project.ts';

export interface Reply {
  readonly output?: JsonObject;
  /** Lines for the person. */
  readonly notes: readonly string[];
}

/** What differs between a process per call and a resident one. */
export interface Edge {
  readonly planInForce: (project: string, env: NodeJS.ProcessEnv) => InForce | Promise<InForce>;
  readonly findOutside: typeof findOutside;
}

export const PROCESS: Edge = { planInForce, findOutside };

export async function hook(call: Call, edge: Edge = PROCESS): Promise<Reply> {
  const project = projectOf(call);
  if (project === undefined) return { notes: [] };
  const notes: string[] = [];
  const event = eventOf(call, project);
  let cached: Cached | undefined;
  try {
    const found = await edge.planInForce(project, call.env);
    cached = found.cached;
    if (event.unreadable !== undefined) notes.push(`the input can not be read: ${event.unreadable}`);
    else if (!Object.hasOwn(EVENTS, event.event)) notes.push(`the event ${event.event} is not known`);
    if (cached?.plan === undefined) return withoutPlan(event, cached, found.fault, notes);
    if (found.fault !== undefined) notes.push(found.fault);
    return await judge(event, cached, notes, call.env, edge);
  } catch (error) {
    // Our own mistake: policies that deny what can't be computed are kept, the others let it pass.
    const why = `internal error: ${error instanceof Error ? error.message : String(error)}`;
    notes.push(why);
    const reply = refusal(event, cached, 'bylaw failed while it judged this call, and the policy refuses what it can not judge.', notes);
    // Not silently: the person sees it, the agent does not.
    return reply.output === undefined ? { ...reply, output: { systemMessage: `bylaw could not judge this ${event.event || 'event'} (${why}); no rule was applied to it. \`bylaw doctor\` may know more.` } } : reply;
  }
}

async function judge(event: Event, cached: Cached, notes: string[], env: NodeJS.ProcessEnv, { findOutside }: Edge): Promise<Reply> {
  const store = openStore(stateFolder(env), projectKey(event.project));
  if (event.event === 'SessionStart') store.sweep(event.now);
  const plan = cached.plan ?? never();
  const { verdict, event: known, notes: found } = await answer(plan, event, { store, findOutside });
  // What follows from input that can't be read has been said with it.
  const failures = verdict.failures.filter((failure) => failure.why !== event.unreadable);
  notes.push(...found, ...failures.map((failure) => `rule ${failure.rule} (${failure.at}) could not be computed: ${failure.fact}: ${failure.why}`));
  const audit = appendAudit(store.folder, known, verdict, plan.audit);
  notes.push(...(found.length > 0 ? [] : audit), ...doDeeds(verdict.deeds, event, plan, store));
  const output = encode(event, cached.broken === undefined ? verdict : withWarning(verdict, event, cached.broken, store, notes));
  return { ...(output === undefined ? {} : { output }), notes };
}

/** A broken policy keeps the last good plan in force; the agent is told once per session. */
function withWarning(verdict: Verdict, event: Event, broken: string, store: Store, notes: string[]): Verdict {
  notes.push('the policy has errors; the last good plan is in force; run `bylaw check`');
  if (verdict.decision !== 'none' || EVENTS[event.event]?.advise !== 'agent') return verdict;
  const name = '#broken';
  const told = store.read(event.session).session.cells[name];
  if (told !== undefined) return verdict;
  store.update(event.session, (state) => ({ ...state, session: { ...state.session, cells: { ...state.session.cells, [name]: { kind: 'said', times: 1, changed: event.now } } } }));
  return { ...verdict, decision: 'advise', text: `The bylaw policy of this project has errors; the last good version stays in force. A person can see them with \`bylaw check\`:\n\n${broken.slice(0, 2000)}` };
}

/** A policy that never could be read: it asks to be strict about that, or nothing is said. Its own repair is never denied. */
function withoutPlan(event: Event, cached: Cached | undefined, fault: string | undefined, notes: string[]): Reply {
  const then = cached?.onError === 'deny' ? 'what it should judge is refused' : 'nothing is enforced';
  notes.push(`the policy can not be used${fault === undefined ? '' : ` (${fault})`}; ${then}; run \`bylaw check\``);
  const command = event.input?.['command'];
  const repair = typeof command === 'string' && /^\s*(npx\s+)?bylaw\s+(check|doctor)(\s+[\w./-]+)*\s*$/.test(command);
  if (repair) return { notes };
  return refusal(event, cached, `The bylaw policy of this project has errors, and it refuses what it can not judge. A person can see them with \`bylaw check\`:\n\n${(cached?.broken ?? '').slice(0, 2000)}`, notes);
}

function refusal(event: Event, cached: Cached | undefined, text: string, notes: readonly string[]): Reply {
  // Only calls: a person may always speak, and an agent whose tools are refused may stop.
  if (cached?.onError !== 'deny' || !['PreToolUse', ''].includes(event.event)) return { notes };
  const output = encode(event, { decision: 'deny', passes: false, text, findings: [], failures: [], deeds: [] });
  return { ...(output === undefined ? {} : { output }), notes };
}

function eventOf(call: Call, project: string): Event {
  const real = realOf(project);
  const event = decodeCall(call, project);
  const folds = process.platform === 'darwin' || process.platform === 'win32';
  return { ...event, ...(real === project ? {} : { projectReal: real }), ...(folds ? { foldsCase: true } : {}) };
}

function decodeCall({ input, env, cwd, event }: Call, project: string): Event {
  // A copy, because `process.env` asks the system for each variable, each time.
  const variables = { ...env } as Record<string, string>;
  return decode(input, { now: Date.now(), random: randomToken(), env: variables, project, home: homeFolder(env), cwd, ...(event === undefined ? {} : { event }) });
}

/** Four characters A-Z0-9. No secret: the agent is told them, and only must not know them before. */
function randomToken(): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  return Array.from({ length: 4 }, () => letters[Math.floor(Math.random() * letters.length)]).join('');
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function never(): never {
  throw new Error('there is no plan');
}
