/** Is bylaw registered for every event that a rule needs, in a way that the client calls and waits for? */
import { isDeepStrictEqual } from 'node:util';
import type { Plan } from '../../engine/model.ts';
import { covers, faultsOf } from '../../hooks/hosts/claude-settings.ts';
import { finding, type Finding, type FindingCode } from './codes.ts';
import { settingOf, shownPath, type Ours, type Scene } from './scene.ts';

const AGAIN = 'bylaw doctor --fix';

export function checkRegistration(scene: Scene): readonly Finding[] {
  const off = switchedOff(scene);
  if (scene.ours.length === 0) return [...off, finding('not-registered', `no settings file and no plugin calls bylaw for ${scene.project}`, 'bylaw init')];
  const live = liveHandlers(scene);
  return [...off, ...beside(scene, live), ...eachHandler(scene), ...missing(scene, live), ...twice(scene, live), ...failures(scene, live)];
}

/** The client reads the project's settings only of the folder that a session starts in. */
function beside(scene: Scene, live: readonly Ours[]): readonly Finding[] {
  if (scene.cwd === scene.project || live.length === 0 || live.some(({ where }) => where !== 'project')) return [];
  return [finding('subfolder-not-covered', `a session that starts in ${shownPath(scene, scene.cwd)} does not read the settings of ${scene.project}`, 'start the session in the project folder, or: bylaw init --remove && bylaw init --scope local')];
}

// -- what switches hooks off

const OFF: Readonly<Partial<Record<Scene['disablers'][number]['kind'], readonly [FindingCode, string]>>> = {
  'disable-all-hooks': ['hooks-disabled', 'take the line `"disableAllHooks": true` out of that file'],
  'managed-hooks-only': ['managed-only', 'ask whoever manages the settings to register bylaw there'],
  'http-url-not-allowed': ['url-not-allowed', 'add "http://127.0.0.1:*" to `allowedHttpHookUrls` in that file'],
  'http-token-not-allowed': ['token-not-allowed', 'add "BYLAW_TOKEN" to `httpHookAllowedEnvVars` in that file'],
  discarded: ['settings-discarded', 'mend that entry; the client says more with `claude --debug`'],
  unreadable: ['settings-unreadable', 'mend the JSON of that file'],
};

function switchedOff(scene: Scene): readonly Finding[] {
  const found = scene.disablers.flatMap(({ kind, file, message }) => {
    const [code, fix] = OFF[kind] ?? [];
    if (code === undefined) return [];
    // Somebody else's broken file switches nothing of ours off.
    const harmless = kind === 'unreadable' && scene.sources.find((source) => source.file === file)?.text?.includes('bylaw') !== true;
    return [finding(code, `${shownPath(scene, file)}: ${message}`, fix, harmless ? 'other' : undefined)];
  });
  const simple = [...settingOf(scene.sources, 'env').map(({ file, value }) => ({ file: shownPath(scene, file), value: value['CLAUDE_CODE_SIMPLE'] })), { file: 'the environment', value: scene.env['CLAUDE_CODE_SIMPLE'] }];
  for (const { file, value } of simple) if (value !== undefined && value !== '' && value !== '0' && value !== false) found.push(finding('hooks-disabled', `${file}: CLAUDE_CODE_SIMPLE starts sessions without hooks`, 'take the variable out'));
  return found;
}

// -- one handler by itself

function faultOf(ours: Ours): string | undefined {
  const { event, matcher, handler } = ours;
  const [fault] = faultsOf({ hooks: { [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [handler] }] } });
  return fault === undefined ? undefined : `\`${fault.at.replace(/^.*hooks\[0\]\.?/, '') || fault.at}\` ${fault.message}`;
}

/** Handlers that the client calls, for whatever part of their event. */
export function liveHandlers({ ours, disablers }: Scene): readonly Ours[] {
  const lost = disablers.filter(({ kind }) => kind === 'discarded').map(({ file }) => file);
  return ours.filter((each) => !lost.includes(each.file) && faultOf(each) === undefined && each.handler['async'] !== true && each.handler['asyncRewake'] !== true);
}

function eachHandler(scene: Scene): readonly Finding[] {
  const { ours, plan, refusing } = scene;
  return ours.flatMap((each) => {
    const { event, matcher, handler, file } = each;
    const place = `${shownPath(scene, file)}, ${event}`;
    const severity = refusing.includes(event) ? undefined : ('other' as const);
    const fault = faultOf(each);
    if (fault !== undefined) return scene.disablers.some((disabler) => disabler.kind === 'discarded' && disabler.file === file) ? [] : [finding('handler-ignored', `${place}: ${fault}`, AGAIN, severity)];
    const found: Finding[] = [];
    if (handler['async'] === true || handler['asyncRewake'] === true) found.push(finding('handler-async', `${place}: the handler is asynchronous`, AGAIN, severity));
    if (handler['if'] !== undefined) found.push(finding('handler-filtered', `${place}: \`if\` asks bylaw only about ${String(handler['if'])}`, AGAIN, severity));
    const uncovered = plan === undefined || othersCover(scene, each) ? undefined : uncoveredTool(plan, event, matcher);
    if (uncovered !== undefined) found.push(finding('matcher-too-narrow', `${place}: the matcher \`${matcher ?? ''}\` leaves out ${uncovered}`, AGAIN, severity));
    if (handler['onFailure'] === 'block' && event === 'PostToolBatch') found.push(finding('block-ends-loop', `${place}: "onFailure" is "block"`, AGAIN));
    return found;
  });
}

/** Another handler of the event is asked about every call. */
function othersCover({ ours }: Scene, one: Ours): boolean {
  return ours.some((each) => each !== one && each.event === one.event && isWhole(each));
}

function isWhole({ matcher, handler }: Ours): boolean {
  return handler['if'] === undefined && (matcher === undefined || matcher === '' || matcher === '*' || matcher === '.*');
}

const TOOL_EVENTS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'];
/** What a matcher for every tool must cover. */
const TOOLS = ['Bash', 'Read', 'Write', 'Edit', 'Agent', 'WebFetch', 'mcp__server__tool'];
/** Values of the field that a matcher of these events is compared with. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  SessionStart: ['startup', 'resume', 'clear', 'compact'],
  ConfigChange: ['user_settings', 'project_settings', 'local_settings'],
  SubagentStart: ['Explore', 'general-purpose', 'reviewer'],
  SubagentStop: ['Explore', 'general-purpose', 'reviewer'],
  SessionEnd: ['clear', 'logout', 'prompt_input_exit', 'other'],
  PreCompact: ['manual', 'auto'],
};

function uncoveredTool(plan: Plan, event: string, matcher: string | undefined): string | undefined {
  if (matcher === undefined || matcher === '' || matcher === '*') return undefined;
  const shelf = Object.hasOwn(plan.index, event) ? plan.index[event] : undefined;
  const forAll = shelf === undefined || shelf.any.rules.length > 0 || shelf.any.moving.length > 0 || shelf.any.byFolder !== undefined;
  const values = TOOL_EVENTS.includes(event) ? [...(forAll ? TOOLS : []), ...Object.keys(shelf?.byTool ?? {})] : (VALUES[event] ?? []);
  return values.find((value) => !covers(matcher, value));
}

// -- all handlers together

function missing(scene: Scene, live: readonly Ours[]): readonly Finding[] {
  const { uses, refusing, ours } = scene;
  return [...uses].flatMap(([event, names]) => {
    // A handler that is there and does nothing has its own finding.
    if (live.some((each) => each.event === event) || ours.some((each) => each.event === event)) return [];
    const shown = names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
    return [finding('event-not-registered', `nothing calls bylaw at ${event}, which ${shown} need${names.length === 1 ? 's' : ''}`, AGAIN, refusing.includes(event) ? undefined : 'other')];
  });
}

/** Equal handlers run once; the plugin's run beside those of the settings. */
function twice(scene: Scene, live: readonly Ours[]): readonly Finding[] {
  const events = [...new Set(live.map(({ event }) => event))];
  const plugin = live.filter(({ where }) => where === 'plugin');
  const both = events.filter((event) => plugin.some((each) => each.event === event) && live.some((each) => each.event === event && each.where !== 'plugin'));
  const found: Finding[] = both.length === 0 ? [] : [finding('plugin-and-settings', `the plugin and ${files(scene, live.filter(({ where }) => where !== 'plugin'))} both call bylaw at ${both.join(', ')}`, 'bylaw init --remove')];
  const several = events.filter((event) => {
    const [first, ...rest] = live.filter((each) => each.event === event && each.where !== 'plugin');
    return first !== undefined && rest.some((each) => !isDeepStrictEqual(each.handler, first.handler) && overlaps(each, first));
  });
  const scopes = [...new Set(live.filter(({ event, where }) => several.includes(event) && where !== 'plugin').map(({ where }) => where))];
  if (several.length > 0) found.push(finding('registered-twice', `${files(scene, live.filter(({ event }) => several.includes(event)))} call bylaw in different ways at ${several.join(', ')}`, scopes.length > 1 ? `bylaw init --remove --scope ${scopes.at(-1) ?? 'user'}` : AGAIN));
  return found;
}

/** Two matchers that share a tool; matchers for different tools are one registration in parts. */
function overlaps(a: Ours, b: Ours): boolean {
  return [...TOOLS, ...(VALUES[a.event] ?? [])].some((value) => covers(a.matcher, value) && covers(b.matcher, value));
}

function files(scene: Scene, handlers: readonly Ours[]): string {
  return [...new Set(handlers.map(({ file }) => shownPath(scene, file)))].join(' and ');
}

/** Events where a block stands for "do not". */
const BLOCKING = ['PreToolUse', 'UserPromptSubmit', 'UserPromptExpansion', 'TaskCreated', 'ConfigChange'];

function failures(scene: Scene, live: readonly Ours[]): readonly Finding[] {
  const open = live.filter(({ event, handler }) => BLOCKING.includes(event) && scene.strict.includes(event) && handler['onFailure'] !== 'block');
  if (open.length === 0) return [];
  const plugin = open.every(({ where }) => where === 'plugin');
  return [finding('no-on-failure', `the policy is strict, but the handlers of ${[...new Set(open.map(({ event }) => event))].join(', ')} in ${files(scene, open)} do not say "onFailure": "block"`, plugin ? 'bylaw init --scope local, in place of the plugin' : AGAIN, plugin ? 'note' : undefined)];
}
