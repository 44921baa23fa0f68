/** A plan → the events that must be registered with the host for it to work, and those whose failure must block. */
import { placeholders } from '../judge/fill.ts';
import type { Fact, Form, Memory, Plan, Rule, Trigger } from '../model.ts';

/** The policy that protects bylaw itself. It is strict in every project, so it alone says nothing about how strict a project is. */
const GUARD = 'self-protection';

/** Live subagents are remembered from these; a session's start forgets those of the last one. */
const RUNNING = ['SessionStart', 'SubagentStart', 'SubagentStop'] as const;
/** A person's prompt begins a turn. */
const TURN = 'UserPromptSubmit';

/** Every event that must reach bylaw, sorted. */
export function eventsOf(plan: Plan): readonly string[] {
  return [...usesOf(plan).keys()];
}

/** Every event that must reach bylaw, sorted, with the rules and facts that need it. */
export function usesOf(plan: Plan): ReadonlyMap<string, readonly string[]> {
  const uses = new Map<string, Set<string>>();
  const use = (who: string, events: readonly string[]): void => {
    for (const event of events) uses.set(event, (uses.get(event) ?? new Set()).add(who));
  };
  const dead = deadRules(plan);
  for (const rule of plan.rules) {
    if (!dead.has(rule.id)) use(rule.id, [...rule.on, ...eventsIn(rule.until), ...asked(plan, rule)]);
  }
  for (const fact of Object.values(plan.facts)) {
    if (!isDead(fact, dead)) use(fact.name, [...eventsOfForm(fact.form), ...asked(plan, fact.form)]);
  }
  for (const home of Object.values(plan.homes)) use(home.name, asked(plan, [home.active, home.bypass, home.report?.calls ?? null, home.report?.score ?? null]));
  return new Map([...uses].sort(([a], [b]) => (a < b ? -1 : 1)).map(([event, names]) => [event, [...names].sort()]));
}

/** Events at which a strict rule can refuse: there an answer that never comes must block too. Empty if only the guard is strict. */
export function strictEventsOf(plan: Plan): readonly string[] {
  const strict = plan.rules.filter((rule) => (rule.own ?? rule.level) === 'strict' && (rule.speak?.decision === 'deny' || rule.speak?.decision === 'ask'));
  if (strict.every((rule) => rule.home === GUARD)) return [];
  return [...new Set(strict.flatMap((rule) => rule.on))].sort();
}

/** Rules whose own level switches them off, which no person's level changes. */
function deadRules(plan: Plan): ReadonlySet<string> {
  return new Set(plan.rules.filter((rule) => rule.own === 'disabled').map((rule: Rule) => rule.id));
}

function isDead({ form }: Fact, dead: ReadonlySet<string>): boolean {
  return 'rule' in form && form.rule !== undefined && dead.has(form.rule);
}

function eventsOfForm(form: Form): readonly string[] {
  const memory = 'memory' in form ? eventsOfMemory(form.memory) : [];
  if (form.kind === 'phase') return [...memory, ...eventsIn(form.moves)];
  return form.kind === 'count' ? [...memory, ...form.counted.on] : memory;
}

function eventsOfMemory({ scope, until }: Memory): readonly string[] {
  return [...eventsIn(until), ...(scope === 'turn' ? [TURN] : [])];
}

function eventsIn(triggers: readonly Trigger[]): readonly string[] {
  return triggers.flatMap(({ on }) => on);
}

/** The events behind built-in facts that are remembered from them. */
function asked(plan: Plan, part: unknown): readonly string[] {
  return !Object.hasOwn(plan.facts, 'running') && asks(part, 'running') ? RUNNING : [];
}

/** Keys whose text names a fact. */
const NAMING: ReadonlySet<string> = new Set(['fact', 'of', 'per', 'track', 'var', 'count']);

/** Whether a part of the plan looks a fact up: in a test, in logic, as a term or in a text. */
function asks(part: unknown, fact: string): boolean {
  if (typeof part === 'string') return part.includes('{') && placeholders(part).includes(fact);
  if (Array.isArray(part)) return part.some((each) => asks(each, fact));
  if (typeof part !== 'object' || part === null) return false;
  return Object.entries(part).some(([key, value]) => (NAMING.has(key) && [value].flat()[0] === fact) || asks(value, fact));
}
