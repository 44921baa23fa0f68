/** Laws that hold for every policy and every event, tried with random ones; every clever thing has a slow twin here. */
import './seed.ts';
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Minimatch } from 'minimatch';
import { EVENTS } from '../engine/events.ts';
import { settle } from '../engine/judge/cells.ts';
import { converge } from '../engine/judge/converge.ts';
import { matchesGlob } from '../engine/judge/match.ts';
import { load, type Loaded } from '../engine/load/load.ts';
import { parse } from '../engine/load/parse.ts';
import type { Reader } from '../engine/load/read.ts';
import type { Cells, Event, Finding, Json, Need, Outside, Plan, Rule, State, Verdict } from '../engine/model.ts';
import { buildPlan } from '../engine/plan/build.ts';
import { readSchema } from '../engine/plan/compile.ts';
import { lookup } from '../engine/plan/lookup.ts';
import { printProblem } from '../engine/report/frame.ts';
import { EMPTY_STATE } from '../engine/state/state.ts';
import { decode, encode } from '../hooks/hosts/claude-code.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 100);
const schema = readSchema();

// ---------------------------------------------------------------- policies

interface Policy {
  readonly [key: string]: Json;
}
type Files = Readonly<Record<string, Policy>>;

/** JSON is YAML; on one line, so that the order of keys changes no line number. */
function loadFiles(files: Readonly<Record<string, string>>, parts: readonly string[] = Object.keys(files).filter((name) => name !== 'bylaw.yaml')): Loaded {
  const reader: Reader = {
    read: (file) => (files[file] === undefined ? { fault: 'missing-file', why: 'there is no such file' } : { text: files[file] }),
    locate: (name, from) => (files[join(dirname(from), name)] === undefined ? undefined : join(dirname(from), name)),
    packs: () => [],
  };
  return load({ main: 'bylaw.yaml', parts, label: (file) => file }, { reader, schema, trusts: () => true });
}

function texts(files: Files): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([name, policy]) => [name, JSON.stringify(policy)]));
}

function planOf(files: Files): Plan {
  const loaded = loadFiles(texts(files));
  assert.ok(loaded.core, `${JSON.stringify(files, null, 1)}\n${loaded.problems.map((problem) => printProblem(problem, loaded.texts)).join('\n')}`);
  return buildPlan(loaded.core);
}

const tool = fc.constantFrom('Read', 'Edit', 'Bash', 'Grep', 'Task', 'mcp__db__query');
const tools: fc.Arbitrary<Json> = fc.oneof(tool, fc.uniqueArray(tool, { minLength: 1, maxLength: 3 }), fc.constantFrom('*', 'mcp__*', '$reading', 'Ed?t'));
const scope = fc.constantFrom('turn', 'agent', 'session', 'project', 'user');
const by: fc.Arbitrary<Policy> = fc.constantFrom<Policy>({}, { by: 'main' }, { by: 'subagent' }, { by: ['reviewer', 'main'] });
const matcher = fc.tuple(tools, by).map(([which, who]): Policy => ({ tool: which, ...who }));
const match: fc.Arbitrary<Json> = fc.oneof({ weight: 4, arbitrary: matcher }, { weight: 1, arbitrary: fc.array(matcher, { minLength: 2, maxLength: 2 }) }, { weight: 1, arbitrary: matcher.map((each) => ({ ...each, 'any-case': true })) });
const until = fc.constantFrom<Policy>({}, { until: { event: 'SubagentStart' } }, { until: [{ event: 'UserPromptSubmit' }, { idle: '5m' }] }, { until: { idle: '10m' } }, { until: { tool: 'Task', agent: 'reviewer' } }, { until: { path: 'docs/**' } });
const decision = fc.constantFrom('deny', 'ask', 'advise');
const text = fc.constantFrom('Delegate this.', '{tool} is not for you, {by}', 'seen: {seen}', '{input.file_path} was touched {reads} times', 'one of {reading}', 'braces {{x}}', ' ');
/** Keys that any rule may have. */
const extras = fc.record({ level: fc.constantFrom('strict', 'guidance', 'observe', 'disabled'), active: fc.constant(true), 'on-error': fc.constantFrom('allow', 'deny'), bypass: fc.constant(false), final: fc.constant(true), label: fc.constant('kind-{tool}') }, { requiredKeys: [] }).map((all): Policy => Object.fromEntries(Object.entries(all).filter((_, index) => index % 2 === 0)));
const unless = fc.constantFrom<Policy>({}, {}, { unless: { agent: 'reviewer' } }, { unless: { path: 'docs/**' } }, { unless: { seen: 'Grep' } });
const attempts = fc.constantFrom<Policy>({}, { attempts: true });
const counted = fc.constantFrom<Json>({ 2: 'Twice.', 4: 'Four times: {count}.' }, { '2 and doubling': 'Again: {count}.' }, { 1: 'First.', '2 and every 3': 'Every third.' });
const window = fc.constantFrom<Policy>({}, { window: 4 }, { window: '2m' }, { per: 'tool' }, { per: 'input.file_path', window: '10m' });
const effect = fc.constantFrom<Json>({ remember: { seen: '$tool' } }, { remember: { seen: 'x {tool}', note: true } }, { forget: 'seen' }, { forget: { seen: '$tool' }, remember: { note: '$agent' } }, { record: { to: 'log-{tool}.jsonl', fields: { tool: '$tool' } } });

const fragments: readonly fc.Arbitrary<Policy>[] = [
  fc.tuple(match, decision, text).map(([of, what, says]) => ({ match: of, [what]: says })),
  fc.tuple(match, decision, text, fc.nat(3), until, scope, attempts, window).map(([of, what, says, limit, reset, where, tries, recent]) => ({ match: of, [what]: says, limit: Math.min(limit, 2), ...reset, scope: where, ...tries, ...recent })),
  fc.tuple(match, decision, text, fc.integer({ min: 1, max: 3 }), until, scope).map(([of, what, says, times, reset, where]) => ({ match: of, [what]: says, times, ...reset, scope: where })),
  fc.tuple(match, decision, counted, until, attempts, window).map(([of, what, says, reset, tries, recent]) => ({ match: of, [what]: says, ...reset, ...tries, ...recent })),
  fc.tuple(fc.constantFrom<Policy>({}, { moves: { event: 'SubagentStop' } }), until, scope).map(([moves, reset, where]) => ({
    match: { tool: 'Task' }, start: 'plan', ...moves, ...reset, scope: where,
    phases: { plan: { architect: 'build', reviewer: 'stay' }, build: { 'dev*': 'check', architect: 'stay' }, check: { reviewer: 'plan', '*': 'stay' } },
    deny: 'In {phase} only {allowed}.',
  })),
  fc.tuple(fc.constantFrom('Stop', 'SubagentStop'), fc.integer({ min: 1, max: 8 })).map(([event, times]) => ({ event, ack: 'ACK-{random}', times, deny: 'Say {token}.', until: { event: 'UserPromptSubmit' } })),
  fc.constantFrom<Policy>({ event: 'SubagentStop', deny: 'Write the report.', unless: { reply: 'ACK' } }, { event: 'Stop', match: { running: true }, deny: 'Agents run: {running}.', times: 3 }),
  fc.tuple(match, effect, attempts).map(([of, then, tries]) => ({ match: of, then, ...tries })),
  fc.tuple(match, decision, effect).map(([of, what, then]) => ({ match: of, [what]: 'Noted.', then })),
  fc.tuple(decision, text).map(([what, says]) => ({ match: { tool: 'Edit', seen: ['Read', 'Grep'] }, [what]: says })),
  decision.map((what) => ({ match: { tool: ['Read', 'Bash'] }, when: { '>': [{ var: ['reads', 0] }, 2] }, [what]: 'Many reads.' })),
  fc.tuple(decision, fc.nat(2)).map(([what, limit]) => ({ match: { tool: 'Bash' }, of: 'reads', limit, [what]: 'Reads: {count} of {limit}.' })),
  fc.constantFrom<Policy>({ event: 'PostToolUse', match: { tool: 'Edit' }, deny: 'Check it.' }, { event: 'SubagentStart', advise: 'Welcome {agent}.' }, { event: 'UserPromptSubmit', match: { source: 'person' }, deny: 'Not now.', times: 1 }, { event: ['PreToolUse', 'PostToolUse'], match: { path: 'src/**' }, deny: 'Not in src: {path}.' }, { match: { runs: 'rm' }, deny: 'No rm.' }, { match: { role: 'lead', tool: 'Edit' }, deny: 'Leads do not edit.' }),
];

const rule = fc.tuple(fc.oneof(...fragments), extras, unless).map(([body, more, excuse]): Policy => {
  const stopping = body['event'] !== undefined && body['event'] !== 'PostToolUse';
  return { ...body, ...more, ...(stopping || body['unless'] !== undefined || body['phases'] !== undefined ? {} : excuse) };
});
const NAMES = ['a-rule', 'b-rule', 'c-rule', 'd-rule', 'e-rule', 'f-rule'];
const FACTS: Policy = {
  seen: { scope: 'session', last: 3, keep: '10m' },
  note: { scope: 'project' },
  reads: { count: [{ tool: 'Read' }, { event: 'PostToolUse', tool: 'Grep' }], until: { event: 'SubagentStop' } },
  role: { first: [{ match: { by: 'reviewer' }, is: 'lead' }, { match: { note: true }, is: 'lead' }] },
};
const LISTS: Policy = { reading: ['Read', 'Grep'], delegation: ['Task', 'Agent'] };
const head = fc.constantFrom<Policy>({}, {}, { level: 'guidance' }, { defaults: { match: { by: 'main' } } }, { 'on-error': 'deny' }, { active: { tool: true } }, { active: { note: true } }, { bypass: { 'env.BYPASS': true } });

/** One to six rules in one to three files; names are known to all of them. */
const policies: fc.Arbitrary<Files> = fc.tuple(fc.array(rule, { minLength: 1, maxLength: 6 }), fc.array(head, { minLength: 3, maxLength: 3 }), fc.array(fc.nat(2), { minLength: 6, maxLength: 6 })).map(([rules, heads, homes]) => {
  const files = ['bylaw.yaml', 'policies/one.yaml', 'policies/two.yaml'].map((file, number): [string, Policy] => {
    const own = rules.flatMap((each, index) => (homes[index] === number ? [[NAMES[index] ?? '', each] as const] : []));
    return [file, { bylaw: 1, ...(number === 0 ? { lists: LISTS, facts: FACTS } : {}), ...heads[number], rules: Object.fromEntries(own) }];
  });
  return Object.fromEntries(files);
});

// ---------------------------------------------------------------- events

const agent = fc.constantFrom('architect', 'developer', 'reviewer', 'plugin:reviewer');
const path = fc.constantFrom('src/a.ts', 'docs/plan.md', '/etc/hosts', '../x');
const thread: fc.Arbitrary<Policy> = fc.oneof({ weight: 3, arbitrary: fc.constant<Policy>({}) }, { weight: 1, arbitrary: agent.map((type) => ({ agent_id: `id-${type}`, agent_type: type })) });
const payload: fc.Arbitrary<Policy> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constantFrom('PreToolUse', 'PreToolUse', 'PostToolUse'), tool, path, agent, thread).map(([event, name, file, type, who]) => ({ hook_event_name: event, tool_name: name, ...who, tool_input: name === 'Task' ? { subagent_type: type } : name === 'Bash' ? { command: `cat ${file} && rm x` } : { file_path: file } })) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('SubagentStart', 'SubagentStop'), agent, fc.constantFrom('done', 'ACK-AAAA', 'ACK-BBBB')).map(([event, type, reply]) => ({ hook_event_name: event, agent_type: type, agent_id: `id-${type}`, last_assistant_message: reply })) },
  { weight: 2, arbitrary: fc.constantFrom('done', 'ACK-AAAA', 'ACK-BBBB').map((reply) => ({ hook_event_name: 'Stop', last_assistant_message: reply })) },
  { weight: 1, arbitrary: fc.constantFrom('go on', '<task-notification> done').map((prompt) => ({ hook_event_name: 'UserPromptSubmit', prompt })) },
  { weight: 1, arbitrary: fc.constantFrom<Policy>({ hook_event_name: 'SessionStart', source: 'resume' }, { hook_event_name: 'PreToolUse' }, { hook_event_name: 'Other' }, { tool_name: 'Edit' }, {}) },
);

interface Step {
  readonly payload: Policy;
  readonly wait: number;
  readonly random: string;
  readonly bypass: boolean;
}
const step: fc.Arbitrary<Step> = fc.record({ payload, wait: fc.constantFrom(1000, 1000, 60_000, 400_000, 700_000), random: fc.constantFrom('AAAA', 'BBBB'), bypass: fc.boolean() });
const steps = fc.array(step, { minLength: 1, maxLength: 14 });

function eventsOf(all: readonly Step[]): readonly Event[] {
  let now = Date.parse('2026-01-01T09:00:00Z');
  return all.map(({ payload: fields, wait, random, bypass }) => {
    now += wait;
    return decode(JSON.stringify({ session_id: 's', cwd: '/project', ...fields }), { now, random, env: bypass ? { BYPASS: '1' } : {}, project: '/project', home: '/home/dev', cwd: '/project' });
  });
}

function findOutside(need: Need): Outside {
  return need.kind === 'real' ? { value: need.path } : { value: null };
}

interface Judged {
  readonly verdict: Verdict;
  readonly state: State;
  readonly before: State;
  readonly event: Event;
}

function play(plan: Plan, all: readonly Step[]): readonly Judged[] {
  let state = EMPTY_STATE;
  return eventsOf(all).map((given) => {
    const before = state;
    const { verdict, state: next, event } = converge(plan, before, given, findOutside);
    state = next;
    return { verdict, state: next, before, event };
  });
}

function outcomes(played: readonly Judged[]): unknown {
  return played.map(({ verdict, state }) => ({ verdict, state }));
}

function check<Ts extends [unknown, ...unknown[]]>(arbitraries: { [K in keyof Ts]: fc.Arbitrary<Ts[K]> }, law: (...args: Ts) => void, runs = RUNS): void {
  fc.assert(fc.property(...arbitraries, law), { numRuns: runs, includeErrorInReport: true });
}

// ---------------------------------------------------------------- laws

describe('the index', () => {
  /** Every rule and fact at every event it names, whatever the tool. */
  const unindexed = (plan: Plan): Plan => {
    const moving = (event: string): readonly string[] => Object.values(plan.facts).filter(({ form }) => (form.kind === 'count' ? form.counted.on.includes(event) : form.kind === 'phase' && form.moves.some(({ on }) => on.includes(event)))).map(({ name }) => name);
    const rules = (event: string): readonly number[] => plan.rules.flatMap(({ on }, number) => (on.includes(event) ? [number] : []));
    return { ...plan, index: Object.fromEntries(Object.keys(EVENTS).map((event) => [event, { any: { rules: rules(event), moving: moving(event) }, byTool: {} }])) };
  };

  test('finds what a scan of all rules finds', () => {
    check([policies, steps], (files, all) => {
      const plan = planOf(files);
      assert.deepEqual(outcomes(play(plan, all)), outcomes(play(unindexed(plan), all)));
    });
  });

  test('leaves out only rules whose tool is another, or that ask for shell text where there is none', () => {
    const shell = (event: Event): boolean => event.tool === 'Bash' || event.tool === 'Monitor';
    const fits = (each: Rule, event: Event): boolean =>
      each.match.some((matching) => (event.tool === undefined || shell(event) || !matching.some(({ fact }) => fact === 'runs' || fact === 'command')) && matching.every(({ fact, values, anyCase }) => fact !== 'tool' || event.tool === undefined || values.some((pattern) => pattern.is !== 'glob' || matchesGlob(pattern.glob, event.tool ?? '', 'word', anyCase === true))));
    check([policies, steps], (files, all) => {
      const plan = planOf(files);
      for (const event of eventsOf(all)) {
        const found = lookup(plan, event).rules;
        const name = event.event === '' ? 'PreToolUse' : event.event;
        const scanned = plan.rules.filter(({ on }) => on.includes(name));
        assert.ok(found.every((each) => scanned.includes(each)), 'a rule of another event was found');
        const needed = scanned.filter((each) => (event.tool === undefined && event.unreadable === undefined ? each.match.some((one) => one.every(({ fact }) => !['tool', 'runs', 'command'].includes(fact))) : fits(each, event)));
        assert.deepEqual(needed.filter((each) => !found.includes(each)).map(({ id }) => id), []);
      }
    });
  });
});

describe('order', () => {
  test('of rules, facts, lists and files changes neither the plan nor a verdict nor the state', () => {
    const shuffled = (files: Files, seed: number): readonly [Readonly<Record<string, string>>, readonly string[]] => {
      const order = <T>(items: readonly T[]): readonly T[] => [...items].map((item, index) => ({ item, at: (seed * 31 + index * 17) % 101 })).sort((a, b) => a.at - b.at).map(({ item }) => item);
      const mixed = (value: Json): Json => (typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(order(Object.entries(value)).map(([key, each]: [string, Json]) => [key, ['rules', 'facts', 'lists'].includes(key) ? mixed(each) : each])) : value);
      const names = order(Object.keys(files).filter((name) => name !== 'bylaw.yaml'));
      return [Object.fromEntries(Object.entries(files).map(([name, policy]) => [name, JSON.stringify(mixed(policy))])), names];
    };
    check([policies, steps, fc.nat(1000)], (files, all, seed) => {
      const plan = planOf(files);
      const [mixed, parts] = shuffled(files, seed);
      const { core } = loadFiles(mixed, parts);
      assert.ok(core, 'the shuffled files do not load');
      const other = buildPlan(core);
      assert.deepEqual(other, plan);
      assert.deepEqual(outcomes(play(other, all)), outcomes(play(plan, all)));
    });
  });
});

describe('evaluate', () => {
  const frozen = <T>(value: T): T => {
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
      Object.freeze(value);
      Object.values(value).forEach(frozen);
    }
    return value;
  };

  test('is pure', () => {
    check([policies, steps], (files, all) => {
      const plan = frozen(planOf(files));
      let state = frozen(structuredClone(EMPTY_STATE));
      for (const event of eventsOf(all)) {
        const copies = structuredClone({ plan, state, event });
        const once = converge(plan, state, frozen(event), findOutside);
        const twice = converge(plan, state, frozen(event), findOutside);
        assert.deepEqual(once, twice);
        assert.deepEqual({ plan, state, event }, copies);
        state = frozen(once.state);
      }
    });
  });

  test('says the same with a plan and a state that were written and read', () => {
    check([policies, steps], (files, all) => {
      const plan = planOf(files);
      const stored: Plan = JSON.parse(JSON.stringify(plan));
      assert.deepEqual(stored, plan);
      let state = EMPTY_STATE;
      for (const { verdict, state: next, event } of play(plan, all)) {
        const again = converge(stored, JSON.parse(JSON.stringify(state)), event, findOutside);
        assert.deepEqual({ verdict: again.verdict, state: again.state }, { verdict, state: next });
        state = next;
      }
    });
  });

  test('leaves the state alone when it denies, but for what the language names', () => {
    check([policies, steps], (files, all) => {
      const plan = planOf(files);
      for (const { verdict, before, state, event } of play(plan, all)) {
        if (verdict.passes) continue;
        const may = mayChange(plan, verdict);
        const was = settle(before, event);
        assert.deepEqual(without(state, may), without(was, may));
        assert.deepEqual(state.session.running, was.session.running);
      }
    }, RUNS * 2);
  });

  test('keeps an agent among the running while its stop is refused', () => {
    const plan = planOf({ 'bylaw.yaml': { bylaw: 1, rules: { 'agents-report': { event: 'SubagentStop', unless: { reply: 'report' }, deny: 'Write the report.' } } } });
    const about = { agent_id: 'id-reviewer', agent_type: 'reviewer' };
    const all = [{ hook_event_name: 'SubagentStart', ...about }, { hook_event_name: 'SubagentStop', ...about }, { hook_event_name: 'SubagentStop', ...about, last_assistant_message: 'the report' }];
    const played = play(plan, all.map((each) => ({ payload: each, wait: 1000, random: 'AAAA', bypass: false })));
    assert.deepEqual(played.map(({ state }) => state.session.running), [{ 'id-reviewer': 'reviewer' }, { 'id-reviewer': 'reviewer' }, {}]);
  });

  test('has words for every refusal, and only a refusal keeps an event from passing', () => {
    check([policies, steps], (files, all) => {
      for (const { verdict, event } of play(planOf(files), all)) {
        if (verdict.decision === 'deny' || verdict.decision === 'ask') assert.notEqual(verdict.text.trim(), '');
        if (!verdict.passes) assert.equal(verdict.decision, 'deny');
        if (verdict.decision === 'none') assert.equal(verdict.text, '');
        for (const { heard, decision: said } of verdict.findings) assert.ok(!heard || said !== 'none', 'heard without a decision');
        const { output } = { output: encode(event, verdict) };
        if (!verdict.passes) assert.ok(output, `${event.event} was refused without a word to the host`);
      }
    });
  });

  /** Sentence 17: effects of rules that denied; attempts of the only policy that denied; what was said. */
  function mayChange(plan: Plan, verdict: Verdict): ReadonlySet<string> {
    const deniers = verdict.findings.filter((finding) => finding.decision === 'deny');
    const only = (home: string): boolean => deniers.every((finding) => finding.home === home);
    const effects = (finding: Finding): readonly string[] => {
      const each = plan.rules.find(({ id }) => id === finding.rule);
      if (each === undefined || !(finding.decision === 'deny' || (each.attempts === true && only(each.home)))) return [];
      return each.then.flatMap((one) => (one.do === 'remember' || one.do === 'forget' ? [one.fact] : []));
    };
    const attempted = Object.values(plan.facts).filter(({ home, form }) => form.kind === 'count' && form.attempts === true && only(home)).map(({ name }) => name);
    const said = verdict.findings.filter(({ heard, decision: what, written }) => heard || (what === 'none' && written === 'deny')).map((finding) => `${finding.rule}.said`);
    return new Set([...verdict.findings.flatMap(effects), ...attempted, ...said]);
  }

  function without({ session, project, user }: State, names: ReadonlySet<string>): unknown {
    const left = (cells: Cells): unknown => Object.fromEntries(Object.entries(cells).filter(([name]) => !names.has(name)));
    const threads = Object.entries(session.agents).map(([id, cells]) => [id, left(cells)] as const).filter(([, cells]) => Object.keys(Object(cells)).length > 0);
    return [left(session.cells), left(session.turn), Object.fromEntries(threads), left(project.cells), left(user.cells), session.levels];
  }
});

describe('encode', () => {
  test('never says allow', () => {
    const event = fc.constantFrom(...Object.keys(EVENTS), '', 'Other', 'constructor');
    const verdicts = fc.record({ decision: fc.constantFrom('none' as const, 'deny' as const, 'ask' as const, 'advise' as const), passes: fc.boolean(), text: fc.string() });
    check([event, verdicts], (name, { decision: what, passes, text: words }) => {
      const output = encode(decode(JSON.stringify({ hook_event_name: name, tool_name: 'Edit' }), { now: 0, random: 'AAAA', env: {}, project: '/', cwd: '/' }), { decision: what, passes, text: words, findings: [], failures: [], deeds: [] });
      const reply = Object(output);
      assert.ok(![reply.decision, Object(reply.hookSpecificOutput).permissionDecision, Object(reply.hookSpecificOutput).decision].some((word) => ['allow', 'approve'].includes(String(word))), JSON.stringify(output));
      assert.ok(!Object.hasOwn(reply, 'continue') && !Object.hasOwn(Object(reply.hookSpecificOutput), 'updatedInput'), JSON.stringify(output));
      if (what === 'none') assert.equal(output, undefined);
    }, 500);
  });
});

describe('reading', () => {
  const yamlish = fc.array(fc.constantFrom('bylaw: 1', '\n', '  ', '- ', 'rules:', 'a:', ': ', '{', '}', '[', ']', '*', '&a', '*a', '!', '!!x ', '|', '>', '#', '"', "'", '\\', '`', '\t', '---', '...', '?', '%', '@', '<<: ', 'x', ',', '\u0000', '\uFEFF', '\r\n', '😀'), { maxLength: 40 }).map((parts) => parts.join(''));
  const strange = fc.oneof(fc.string({ unit: 'binary' }), yamlish);

  test('parse never throws', () => {
    check([strange], (source) => {
      const { root, problems } = parse('bylaw.yaml', source);
      assert.ok(root !== undefined || problems.length > 0, 'neither a tree nor a problem');
      for (const { at } of problems) assert.ok(at.start >= 0 && at.end > at.start && at.start <= source.length, `${at.start}-${at.end} of ${source.length}`);
    }, RUNS * 10);
  });

  test('load and the printer never throw', () => {
    check([fc.oneof(strange, strange.map((source) => `bylaw: 1\nrules:\n  a:\n    deny: ${source}`), strange.map((source) => `bylaw: 1\n${source}`))], (source) => {
      const { core, problems, texts: files } = loadFiles({ 'bylaw.yaml': source });
      for (const problem of problems) assert.notEqual(printProblem(problem, files), '');
      assert.ok(core !== undefined || problems.some(({ severity }) => severity === 'error'), 'neither a core nor an error');
      if (core !== undefined) buildPlan(core);
    }, RUNS * 5);
  });

  test('load never throws on policies with a value or key exchanged, removed or doubled', () => {
    const junk = fc.constantFrom<Json>(null, true, false, 0, -1, 1.5, '', 'x', '$nothing', '$reading', '{nothing}', '**', [], {}, ['a'], [[]], { add: ['x'] }, { regex: '(' }, { var: 'x' }, 'constructor', '__proto__');
    const mutate = (value: Json, at: number, piece: Json): Json => {
      let count = 0;
      const walk = (each: Json): Json => {
        if (count++ === at) return piece;
        if (Array.isArray(each)) return each.map(walk);
        if (typeof each !== 'object' || each === null) return each;
        return Object.fromEntries(Object.entries(each).map(([key, inner]: [string, Json]) => (count++ === at ? [String(piece), inner] : [key, walk(inner)])));
      };
      return walk(value);
    };
    check([policies, fc.nat(60), junk, fc.nat(2)], (files, at, piece, which) => {
      const name = Object.keys(files)[which] ?? 'bylaw.yaml';
      const changed = { ...texts(files), [name]: JSON.stringify(mutate(files[name] ?? {}, at, piece)) };
      const { core, problems, texts: sources } = loadFiles(changed);
      for (const problem of problems) assert.notEqual(printProblem(problem, sources), '');
      if (core !== undefined) play(buildPlan(core), [{ payload: { hook_event_name: 'PreToolUse', tool_name: 'Edit', tool_input: { file_path: 'a' } }, wait: 1, random: 'AAAA', bypass: false }]);
    }, RUNS * 5);
  });

  test('load never throws on cut or scrambled text of a policy', () => {
    check([policies, fc.nat(2000), fc.nat(20), fc.string({ maxLength: 4 })], (files, at, length, piece) => {
      const source = JSON.stringify(files['bylaw.yaml'], null, 2);
      loadFiles({ 'bylaw.yaml': source.slice(0, at % source.length) + piece + source.slice((at % source.length) + length) });
    }, RUNS * 3);
  });

  test('decode never throws', () => {
    check([fc.oneof(fc.string({ unit: 'binary' }), fc.json(), strange)], (input) => {
      const event = decode(input, { now: 0, random: 'AAAA', env: {}, project: '/project', cwd: '/project' });
      assert.equal(typeof event.event, 'string');
    }, RUNS * 5);
  });
});

describe('globs', () => {
  const part = fc.oneof(fc.constantFrom('**', '*', '*.ts', 'a*', '.env', 'src', '.*', '*.', 'A', '~', 'x y', '...', '{a,b}', '[ab]', '?'), fc.stringMatching(/^[ab.*]{1,4}$/));
  const glob = fc.tuple(fc.constantFrom('', '/'), fc.array(part, { minLength: 1, maxLength: 4 })).map(([root, parts]) => root + parts.join('/'));
  const name = fc.oneof(fc.constantFrom('a', 'ab', '.env', 'x.ts', '.ts', 'src', '.', '..', '', 'A', 'x y', '...', 'ä', 'a\nb', '[ab]', '**'), fc.stringMatching(/^[ab.]{1,4}$/));
  const value = fc.tuple(fc.constantFrom('', '/'), fc.array(name, { maxLength: 5 })).map(([root, parts]) => root + parts.join('/'));

  test('those that are matched without minimatch match what it matches', () => {
    fc.assert(
      fc.property(glob, value, fc.boolean(), (pattern, text, anyCase) => {
        const matches = (by: string, given: string): boolean => new Minimatch(by, { dot: true, nonegate: true, nocomment: true, nocase: anyCase }).match(given);
        assert.equal(matchesGlob(pattern, text, 'path', anyCase), matches(pattern, text) || (pattern.endsWith('/**') && matches(pattern.slice(0, -3), text)));
        const flat = (each: string): string => each.replaceAll('/', '\uE000');
        const same = anyCase ? pattern.toLowerCase() === text.toLowerCase() : pattern === text;
        assert.equal(matchesGlob(pattern, text, 'word', anyCase), /[*?[{(\\]/.test(pattern) ? matches(flat(pattern), flat(text)) : same);
      }),
      { numRuns: RUNS * 20 },
    );
  });
});
