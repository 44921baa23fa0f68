/** Everything `bylaw doctor` can find, with why it matters; `bylaw explain <code>` prints it. */

/** `open`: a call that a rule denies could go through. `other`: something does not work as meant. `note`: good to know. */
export type Severity = 'open' | 'other' | 'note';

export const FINDINGS = {
  // policy
  'no-policy': ['open', 'Without a bylaw.yaml in the folder of the session or above it, bylaw does nothing.'],
  'policy-unusable': ['open', 'A policy that never could be read enforces nothing, unless it says `on-error: deny`.'],
  'policy-broken': ['other', 'While the policy has errors its last good version stays in force; later changes do not count.'],
  'policy-empty': ['other', 'Without rules nothing is enforced.'],
  'policy-above': ['note', 'Only the nearest bylaw.yaml upwards is used; the one further up does not hold here.'],
  'policy-below': ['note', 'A session that starts here uses the policy of this folder, also for files of a project below that has its own.'],
  'policy-softened': ['note', "A person's level changes what rules do: under guidance and observe nothing is refused."],
  'self-protection-off': ['other', 'Without bylaw:self-protection an agent may edit the policies, the settings and the state.'],
  // registration
  'not-registered': ['open', 'The client only calls what its settings or a plugin register; until then no rule is kept.'],
  'event-not-registered': ['open', 'A rule on an event that the client does not send to bylaw never fires.'],
  'subfolder-not-covered': ['note', 'The client reads .claude/settings.json only of the folder that a session starts in; settings of the local and user scope hold in subfolders too.'],
  'hooks-disabled': ['open', 'The client runs no hooks at all then, of no settings file and no plugin.'],
  'managed-only': ['open', "The client leaves out every hook that is not in the organisation's managed settings."],
  'settings-unreadable': ['open', 'The client uses nothing of a settings file that it can not read, and does not say so in `claude -p`.'],
  'settings-discarded': ['open', 'One wrong handler of PreToolUse or PermissionRequest makes the client throw the whole settings file away, silently in `claude -p`.'],
  'handler-ignored': ['open', 'The client drops a handler that breaks its rules, and tells only its debug log.'],
  'matcher-too-narrow': ['open', 'Calls that the matcher does not cover never reach bylaw. bylaw finds its rules by itself and needs no matcher.'],
  'handler-filtered': ['open', '`if` is no security filter: `bash -c`, full paths and launchers get past it, and then bylaw is not asked.'],
  'handler-async': ['open', 'The client does not wait for an asynchronous hook, so its answer can not refuse anything.'],
  'registered-twice': ['other', 'Different handlers for one event both run: every call is judged and counted twice.'],
  'plugin-and-settings': ['other', 'The plugin and the settings both call bylaw: every call is judged and counted twice.'],
  'no-on-failure': ['other', 'When the hook crashes or times out the client runs the call, unless the handler says `"onFailure": "block"`.'],
  'block-ends-loop': ['other', 'At PostToolBatch a failure with `"onFailure": "block"` ends the agent\'s whole turn.'],
  // start
  'node-missing': ['open', 'The client can not start the hook, and runs the call instead.'],
  'node-too-old': ['open', 'bylaw needs Node 20 or newer; with an older one the hook fails, and the client runs the call.'],
  'node-differs': ['note', 'The hook runs with another Node than this command.'],
  'hook-missing': ['open', 'The file that the settings name is not there: the hook fails, and the client runs the call unless the handler blocks on failure.'],
  'launcher-missing': ['open', 'The committed launcher is what the settings call; without it the hook fails, and the client runs the call unless the handler blocks on failure.'],
  'launcher-changed': ['other', 'The launcher is not the one that this bylaw writes; an old or edited one may not find the hook.'],
  'launcher-finds-nothing': ['open', 'The launcher finds bylaw neither in node_modules nor where it was last installed, so no rule is kept.'],
  'hook-fails': ['open', 'The client runs the call when its hook crashes, times out or can not be started.'],
  'hook-silent': ['open', 'The client takes silence for no objection.'],
  'hook-answers-otherwise': ['open', 'What the client is told is not what the policy says.'],
  'no-probe': ['note', 'Whether a verdict reaches the client could not be tried: no event was found at which the policy speaks at once.'],
  // client
  'client-unknown': ['note', 'The version of Claude Code could not be found out, so what it supports is not known.'],
  'client-too-old': ['open', 'Before 2.1.139 the client does not know `args`: it starts the program without them.'],
  'client-without-on-failure': ['other', 'Before 2.1.295 the client ignores `onFailure`, so a hook that fails lets the call through. npm under Node 20 silently installs 2.1.197.'],
  // places
  'state-not-writable': ['open', 'Limits, phases and remembered facts need the state; without it rules judge every call as the first.'],
  'audit-not-writable': ['other', 'What was said and refused is not recorded.'],
  'cache-not-writable': ['other', 'Every call compiles the policies anew, which takes some 200 ms.'],
  'state-damaged': ['note', 'A state file was damaged once and moved aside; counting started anew.'],
  // server
  'server-down': ['open', 'Nobody answers the http hooks: handlers without `"onFailure": "block"` let every call through until the next prompt starts the server.'],
  'server-foreign': ['open', 'Another program listens on the port of the http hooks; its answer counts as none.'],
  'server-refuses': ['open', 'The server was started with another token and refuses the client; handlers without `"onFailure": "block"` let every call through.'],
  'server-old': ['other', 'The server is of another build of bylaw than the one installed.'],
  'no-starter': ['other', 'Nothing starts the server again when it has ended: SessionStart and UserPromptSubmit are registered without `--serve`.'],
  'token-missing': ['open', 'Without BYLAW_TOKEN in the settings or the environment the server refuses the client.'],
  'token-committed': ['other', 'Whoever has the repo has the token of the server.'],
  'url-not-allowed': ['open', 'The client does not call urls that `allowedHttpHookUrls` does not list, and runs the call.'],
  'token-not-allowed': ['open', 'The client leaves the token out of the header, and the server refuses the client.'],
} as const satisfies Readonly<Record<string, readonly [Severity, string]>>;

export type FindingCode = keyof typeof FINDINGS;

export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** What is wrong, here. */
  readonly what: string;
  readonly why: string;
  /** The command or the edit that mends it. */
  readonly fix?: string;
}

export function finding(code: FindingCode, what: string, fix?: string, severity?: Severity): Finding {
  const [usual, why] = FINDINGS[code];
  return { code, severity: severity ?? usual, what, why, ...(fix === undefined ? {} : { fix }) };
}
