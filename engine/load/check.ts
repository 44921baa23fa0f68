/** What a schema can't see: rules that can never fire, names that clash, circles, keys without effect. */
import { BUILTIN } from '../judge/builtin.ts';
import { placeholders } from '../judge/fill.ts';
import { variables } from '../judge/logic.ts';
import type { Fact, Form, Rule, Test } from '../model.ts';
import { nearest } from '../report/suggest.ts';
import type { CoreSources, Desugared } from './desugar.ts';
import type { HomeSource } from './extend.ts';
import { checkNeverFires, checkTriggers } from './never.ts';
import { entry, get } from './node.ts';
import { keySpan } from './sugar/key.ts';
import { hint, report, type World } from './world.ts';

export function check(core: CoreSources, world: World, trusted: (home: HomeSource) => boolean): void {
  checkNames(world);
  checkCircles(core, world);
  for (const { name, form, home } of core.facts) {
    const definition = world.definitions.facts.get(name);
    if (form.kind === 'count' && definition?.home.name === home) checkTriggers([{ on: form.counted.on, match: form.counted.match }], get(definition.node, 'count'), 'counts nothing', world);
  }
  for (const home of world.definitions.homes.values()) {
    if (home.active?.kind === 'list' && home.active.items.length === 0) report(world, 'never-fires', home.active.at, 'an empty list never holds, so this policy is never on', 'leave `active` out, or say when it is on');
  }
  for (const each of core.desugared) {
    checkCadence(each, world);
    checkToken(each, world);
    checkIdleKeys(each, world);
    if (!each.faulty) checkNeverFires(each, world);
    hintStreak(each, world);
    hintEndlessStop(each, world);
  }
  hintTwoRemember(core, world);
  hintTrust(core, world, trusted);
}

function checkNames(world: World): void {
  const { lists, facts, rules } = world.definitions;
  for (const { name, keyAt } of [...lists.values(), ...facts.values(), ...rules.values()]) {
    if (/^(?:.*\/)?(?:__proto__|prototype|constructor)$/.test(name)) report(world, 'unsafe-name', keyAt, `\`${name}\` can not be a name`, 'it means something to JavaScript; choose another name');
  }
  for (const definition of [...lists.values(), ...facts.values()]) {
    const { name, keyAt } = definition;
    if (BUILTIN.includes(name)) report(world, 'name-clash', keyAt, `\`${name}\` is a built-in fact`, 'choose another name');
    else if (name.includes('.')) report(world, 'name-clash', keyAt, `\`${name}\`: a dot asks for a field of a fact`, 'use `-` instead');
    else if (facts.get(name) === definition && lists.has(name)) report(world, 'name-clash', keyAt, `\`${name}\` is a list and a fact`, 'rename one of them');
  }
}

// -- circles

function checkCircles({ facts }: CoreSources, world: World): void {
  const byName = new Map(facts.map((fact) => [fact.name, fact]));
  const done = new Set<string>();
  const visit = (fact: Fact, stack: readonly string[]): void => {
    if (stack.includes(fact.name)) {
      const circle = [...stack.slice(stack.indexOf(fact.name)), fact.name];
      const first = [...circle].sort()[0] ?? fact.name;
      const definition = world.definitions.facts.get(first) ?? world.definitions.rules.get(first.replace(/\.\w+$/, ''));
      if (definition !== undefined) report(world, 'fact-cycle', definition.keyAt, `\`${first}\` is defined by itself: ${circle.join(' → ')}`, 'let one of them ask for something else');
      return;
    }
    if (done.has(fact.name)) return;
    for (const name of asks(fact.form)) {
      const other = byName.get(name) ?? byName.get(name.replace(/\..*$/, ''));
      if (other !== undefined) visit(other, [...stack, fact.name]);
    }
    done.add(fact.name);
  };
  for (const fact of facts) visit(fact, []);
}

/** Facts that a fact is made of. */
function asks(form: Form): readonly string[] {
  switch (form.kind) {
    case 'first':
      return form.entries.flatMap(({ match, is }) => [...factsOf(match), ...(is.is === 'fact' ? [is.fact] : is.is === 'text' ? placeholders(is.text) : [])]);
    case 'count':
      return [...factsOf(form.counted.match), ...factsOf(form.counted.unless), ...(form.counted.when === undefined ? [] : variables(form.counted.when).map(({ fact }) => fact)), ...(form.per === undefined ? [] : [form.per]), ...form.memory.until.flatMap(({ match }) => factsOf(match))];
    case 'regex':
    case 'since':
      return [form.of];
    case 'rows':
      return [...form.rows, ...(form.when === undefined ? [] : variables(form.when).map(({ fact }) => fact)), ...form.match.flatMap((matcher) => matcher.flatMap(({ values }) => values.flatMap((value) => (value.is === 'fact' ? [value.fact] : []))))];
    case 'text':
    case 'json':
      return form.paths.flatMap(placeholders);
    case 'exists':
      return form.globs.flatMap(placeholders);
    case 'run':
      return form.command.flatMap(placeholders);
    default:
      return [];
  }
}

export function factsOf(test: Test): readonly string[] {
  return test.flatMap((matcher) => matcher.flatMap((clause) => [clause.fact, ...clause.values.flatMap((value) => (value.is === 'fact' ? [value.fact] : []))]));
}

// -- keys

function checkCadence({ source, rule, draft }: Desugared, world: World): void {
  const counted = draft.says.some((saying) => saying.at !== undefined);
  const given = ['limit', 'phases', 'ack'].filter((name) => get(source.node, name) !== undefined);
  const all = [...given, ...(counted && draft.decision !== undefined ? [draft.decision] : [])];
  if (all.length > 1) report(world, 'two-cadences', keySpan(source, all[1] ?? ''), `rule \`${rule.id}\` has two cadences: \`${all.join('` and `')}\`${counted ? ' (counted texts)' : ''}`, 'keep one of them, or make two rules');
  if (rule.speak === undefined && rule.then.length === 0 && get(source.node, 'then') === undefined) {
    const meant = nearest(rule.id, world.definitions.rules.keys());
    report(world, 'no-outcome', source.definition.keyAt, `rule \`${rule.id}\` has neither an outcome nor an effect`, meant === undefined ? 'add `deny`, `ask`, `advise` or `then`; to change a rule of a pack, use its id' : `did you mean to change \`${meant}\`? A rule of its own needs \`deny\`, \`ask\`, \`advise\` or \`then\``);
  }
}

/** A token that nobody is told can't be given back. */
function checkToken({ source, rule }: Desugared, world: World): void {
  const texts = [...(rule.speak?.says ?? []).map(({ text }) => text), rule.speak?.why ?? '', rule.speak?.instead ?? ''];
  if (rule.cadence.kind === 'token' && rule.speak !== undefined && !texts.some((text) => placeholders(text).includes('token'))) report(world, 'idle-key', keySpan(source, 'ack'), 'no text of the rule shows `{token}`, so nobody can give it back', 'add it: `instead: End your reply with {token}.`');
}

/** Keys that would silently do nothing. What `defaults` fills in is meant for other rules too. */
function checkIdleKeys({ source, rule, draft }: Desugared, world: World): void {
  const idle = (name: string, message: string, help?: string): void => {
    if (entry(source.own, name) !== undefined) report(world, 'idle-key', keySpan(source, name), message, help);
  };
  const counts = draft.facts.some((form) => form.kind === 'count');
  const remembers = draft.facts.length > 0;
  if (!counts) {
    const help = get(source.node, 'of') === undefined ? 'it goes with `limit` or counted texts' : 'put it into the fact that `of` names';
    idle('window', 'the rule counts nothing itself', help);
    idle('per', 'the rule counts nothing itself', help);
    if (rule.then.length === 0) idle('attempts', 'the rule counts nothing itself and has no effect', help);
  }
  if (get(source.node, 'limit') === undefined && rule.cadence.kind !== 'keys') idle('of', '`of` goes with `limit` or counted texts', 'add `limit`, or remove `of`');
  if (!remembers) {
    idle('until', 'the rule remembers nothing that could be emptied', 'it goes with `limit`, counted texts, `times`, `phases` or `ack`');
    idle('scope', 'the rule remembers nothing', 'a fact has its own scope');
  }
  if (get(source.node, 'phases') === undefined) for (const name of ['start', 'moves', 'track']) idle(name, `\`${name}\` goes with \`phases\``, `add \`phases\`, or remove \`${name}\``);
}

// -- hints

function hintStreak({ source, rule, draft }: Desugared, world: World): void {
  const counts = draft.facts.find((form) => form.kind === 'count');
  if (counts === undefined || draft.until.length === 0 || !['session', 'turn', 'project', 'user'].includes(draft.scope)) return;
  if (!rule.on.some((event) => ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'].includes(event))) return;
  if (rule.match.every((matcher) => matcher.some((clause) => ['by', 'agent'].includes(clause.fact) || world.definitions.facts.has(clause.fact))) || counts.per !== undefined) return;
  hint(world, 'mixed-streak', source.definition.keyAt, `rule \`${rule.id}\` counts the main agent and all subagents together`, 'add `scope: agent`, or `match: { by: main }`');
}

function hintEndlessStop({ source, rule }: Desugared, world: World): void {
  if (rule.speak?.decision !== 'deny' || !rule.on.includes('Stop') || rule.speak.times !== undefined) return;
  if (factsOf(rule.unless).includes('again') || factsOf(rule.match).includes('again') || rule.then.some((effect) => effect.do === 'forget')) return;
  hint(world, 'too-many-stops', keySpan(source, 'deny'), 'nothing ends these refusals but the client, at the 9th in a row', 'add `times: 3`, or `unless: { again: true }`');
}

function hintTwoRemember({ desugared }: CoreSources, world: World): void {
  const seen = new Map<string, Rule>();
  for (const { rule, source } of [...desugared].sort((a, b) => (a.rule.id < b.rule.id ? -1 : 1))) {
    for (const effect of rule.then) {
      if (effect.do !== 'remember') continue;
      for (const event of rule.on) {
        const key = `${event} ${effect.fact} ${JSON.stringify(rule.match)}`;
        const other = seen.get(key);
        if (other !== undefined && other.id !== rule.id) hint(world, 'two-remember', source.definition.keyAt, `\`${other.id}\` and \`${rule.id}\` both remember \`${effect.fact}\` at ${event}`, `the value of \`${rule.id}\` is kept`);
        seen.set(key, rule);
      }
    }
  }
}

function hintTrust({ facts, desugared }: CoreSources, world: World, trusted: (home: HomeSource) => boolean): void {
  const help = 'a person who has read the file runs `bylaw trust`';
  for (const definition of world.definitions.facts.values()) {
    const form = facts.find((fact) => fact.name === definition.name)?.form;
    const far = form !== undefined && 'paths' in form ? form.paths : form?.kind === 'exists' ? form.globs : [];
    const needs = form?.kind === 'run' ? 'runs a program' : far.some((path) => /^[~/]|^\{env\./.test(path)) ? 'reads outside the project' : undefined;
    if (needs !== undefined && !trusted(definition.home)) hint(world, 'needs-trust', definition.keyAt, `\`${definition.name}\` ${needs}; that is off until the file is trusted`, help);
  }
  for (const { rule, source } of desugared) {
    if (trusted(source.definition.home)) continue;
    const effect = rule.then.find((each) => each.do === 'record' || each.do === 'report');
    const prints = [...(rule.speak?.says ?? []).map(({ text }) => text), rule.speak?.why ?? '', rule.speak?.instead ?? ''].some((text) => placeholders(text).some((name) => name.startsWith('env.')));
    const needs = effect === undefined ? (prints ? 'prints the environment' : undefined) : 'writes a file';
    if (needs !== undefined) hint(world, 'needs-trust', source.definition.keyAt, `rule \`${rule.id}\` ${needs}; that is off until the file is trusted`, help);
  }
}
