/** How hard a rule is right now: its own level, the person's, else the policy's; and whether its policy is on. */
import type { Home, Level, LevelSetting, Rule, State } from '../model.ts';
import { NO, YES, type Answer } from './answer.ts';
import { holds } from './holds.ts';
import { looker, type Knowledge } from './know.ts';

/** The level of a rule before bypass; `final` rules listen to no person. */
export function levelOf(rule: Rule, state: State, now: number): Level {
  if (rule.final === true) return rule.own ?? rule.level;
  const person = personsLevel(state, rule.home, now);
  // Who switches one policy off by name means all of it.
  if (person?.policy === rule.home && person.level === 'disabled') return 'disabled';
  return rule.own ?? person?.level ?? rule.level;
}

/** What a person said of a policy: of it before of all, the session before the project before the user. */
export function personsLevel(state: State, policy: string, now: number): LevelSetting | undefined {
  if (state.session.levels.length === 0 && state.project.levels.length === 0 && state.user.levels.length === 0) return undefined;
  const settings = [state.session, state.project, state.user].flatMap((shared) =>
    [...shared.levels].reverse().filter((setting) => setting.expires === undefined || setting.expires > now),
  );
  return settings.find((setting) => setting.policy === policy) ?? settings.find((setting) => setting.policy === undefined);
}

/** Whether the policy is on. A person who set its level has decided that. */
export function isActive(home: Home, knowledge: Knowledge): Answer {
  const before = knowledge.active.get(home.name);
  if (before !== undefined) return before;
  const answer = findActive(home, knowledge);
  knowledge.active.set(home.name, answer);
  return answer;
}

function findActive(home: Home, knowledge: Knowledge): Answer {
  const { state, event } = knowledge;
  if (personsLevel(state, home.name, event.now)?.policy === home.name) return YES;
  return upTo(knowledge, (look) => holds(home.active, look), home.level);
}

export function isBypassed(home: Home, knowledge: Knowledge): Answer {
  return home.bypass.length === 0 ? NO : upTo(knowledge, (look) => holds(home.bypass, look), home.level);
}

function upTo(knowledge: Knowledge, ask: (look: ReturnType<typeof looker>) => Answer, level: Level): Answer {
  const cheap = ask(looker(knowledge, { level, cost: 0 }));
  return cheap.is === 'unknown' && cheap.cause.kind === 'later' ? ask(looker(knowledge, { level, cost: 2 })) : cheap;
}
