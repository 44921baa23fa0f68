/** The command line: dispatch only. */
import { Command, CommanderError } from 'commander';
import { pathToFileURL } from 'node:url';
import { compile } from '../engine/plan/compile.ts';
import { VERSION } from '../engine/version.ts';
import { main as hook } from '../hooks/main.ts';
import { check, type CheckOptions } from './check.ts';
import { command, type CommandOptions } from './command.ts';
import { codesHelp, doctor, type DoctorOptions } from './doctor.ts';
import { explain, type ExplainOptions } from './explain.ts';
import { init, type InitOptions } from './init.ts';
import { enable, level, type LevelOptions } from './level.ts';
import { auditTail, gate, report, type ReportOptions } from './report.ts';
import type { ServeFlags } from './serve.ts';
import { show, type ShowOptions } from './show.ts';
import { graph, history, reset, set, showState, type StateOptions } from './state.ts';
import { status, statusline, type StatusOptions } from './status.ts';
import { complain, Exit, print } from './terminal.ts';
import { test, type TestOptions } from './test.ts';
import { trust } from './trust.ts';
import { warm } from './warm.ts';

function program(): Command {
  const bylaw = new Command('bylaw').description('House rules for coding agents, as YAML').version(VERSION, '-V, --version').exitOverride().configureHelp({ sortSubcommands: false });

  bylaw.command('init').description('a first policy, and the hooks in Claude Code that call bylaw').option('--pack <names...>', 'shipped packs to extend; none for a rule of your own alone')
    .option('--level <level>', 'strict, guidance or observe').option('--transport <kind>', 'command (the default) or http').option('--port <number>', 'of the server, for http')
    .option('--scope <scope>', 'project (the default), local or user settings').option('--yes', 'ask nothing').option('--dry-run', 'show what would change').option('--remove', 'take it back').option('--json', 'for programs')
    .action((options: InitOptions) => init(options));

  bylaw.command('check').description('find every mistake in the policies').argument('[path]', 'a project folder or a single policy file')
    .option('--format <format>', 'text, json or github').option('--json', 'the same as --format json')
    .option('--schema [file]', 'write a schema that knows your own lists, facts and rules')
    .action((path: string | undefined, options: CheckOptions) => check(path, options));

  bylaw.command('test').description('play the scenarios in *.test.yaml').argument('[paths...]', 'test files or folders')
    .option('-t, --test <text>', 'only cases whose `rule › name` contains the text').option('--watch', 'again on every change').option('--json', 'for programs')
    .action((paths: string[], options: TestOptions) => test(paths, options));

  bylaw.command('explain').description("why a call is denied, and why other rules stay quiet: bylaw explain 'Read src/a.ts'")
    .argument('[step...]', 'a step as in tests, or a problem code').option('--event <file>', 'a hook event as JSON; - for stdin')
    .option('--session <id>', 'with the state of this session').option('--project <folder>').option('--json', 'for programs')
    .action((step: string[], options: ExplainOptions) => explain(step, options));

  bylaw.command('show').description('a rule as it is in force, with the origin of every key').argument('[name]', 'a rule, fact or list')
    .option('--core', 'the core form that is evaluated').option('--json', 'for programs').option('--project <folder>')
    .action((name: string | undefined, options: ShowOptions) => show(name, options));

  const levelOptions = (command: Command): Command =>
    command.option('--policy <name>', 'only this policy').option('--session [id]', 'for one session').option('--project', 'for this project (the default)').option('--user', 'for all your projects').option('--for <time>', 'for a while: 30m, 2h');
  levelOptions(bylaw.command('level').description('see or set how hard the rules are').argument('[level]', 'strict, guidance, observe, disabled, or default')).option('--json', 'for programs')
    .action((word: string | undefined, options: LevelOptions) => level(word, options));
  levelOptions(bylaw.command('enable').description('switch the rules, or one policy, on')).option('--level <level>', 'how hard')
    .action((options: LevelOptions & { level?: string }) => enable(options));
  levelOptions(bylaw.command('disable').description('switch the rules, or one policy, off')).action((options: LevelOptions) => level('disabled', options));

  bylaw.command('status').description('what is in force: policies, levels, phases, counts, last verdicts').option('--session <id>').option('--json', 'for programs')
    .action((options: StatusOptions) => status(options));
  bylaw.command('statusline').description("one line for the host's status bar").action(() => statusline());

  const state = bylaw.command('state').description('what the rules remember');
  state.command('show').option('--session <id>').option('--json', 'for programs').action((options: StateOptions) => showState(options));
  state.command('history').description('how phases moved').option('--session <id>').option('--json', 'for programs').action((options: StateOptions) => history(options));
  state.command('reset').description('empty what rules remember, with a backup').argument('[names...]', 'rules or facts; all if none').option('--session <id>').option('--reason <text>').action((names: string[], options: StateOptions) => reset(names, options));
  state.command('set').description('set a remembered fact, a count or a phase').argument('<name>').argument('<values...>').option('--session <id>').option('--reason <text>').action((name: string, values: string[], options: StateOptions) => set(name, values, options));
  state.command('graph').description('draw the phases of a rule with the present one').argument('[rule]').option('--session <id>').option('--mermaid <file>').option('--svg <file>').action((rule: string | undefined, options: StateOptions) => graph(rule, options));

  bylaw.command('report').description('the compliance report of a session').option('--session <id>').option('--policy <name>').option('--json', 'for programs').action((options: ReportOptions) => report(options));
  bylaw.command('gate').description('exit 1 if a session scores below the minimum').option('--session <id>').option('--policy <name>').option('--min <score>').option('--json', 'for programs').action((options: ReportOptions) => gate(options));
  bylaw.command('audit').description('what was said, and why').command('tail').option('-n, --lines <count>').option('--session <id>').option('--json', 'one JSON line each').action((options: { lines?: string; session?: string; json?: boolean }) => auditTail(options));

  bylaw.command('command').description('what a shell text really runs and touches').argument('[text...]', 'the command; stdin if none').option('--json', 'for programs').option('--jsonl', 'one JSON string per line in, one result per line out').allowUnknownOption(false)
    .action((text: string[], options: CommandOptions) => command(text, options));

  bylaw.command('doctor').description('prove that the rules reach the client; exit 1 if a denied call could get through')
    .option('--fix', 'mend what is safe: registration, launcher, server, own folders').option('--json', 'for programs').addHelpText('after', codesHelp())
    .action((options: DoctorOptions) => doctor(options));

  bylaw.command('trust').description('let the policies of a project run programs and write files').argument('[path]')
    .option('--remove', 'take it back').action((path: string | undefined, options: { remove?: boolean }) => trust(path, options));

  bylaw.command('hook').description('answer one hook event on stdin').argument('[event]', 'its name, for input that can not be read')
    .action((event: string | undefined) => hook(event === undefined ? [] : [event], () => import('../hooks/run.ts')));

  bylaw.command('serve').description('answer HTTP hooks from one resident process; BYLAW_TOKEN is its secret').option('--port <port>', 'on 127.0.0.1 (default 47615)').option('--socket <path>', 'on a unix socket instead')
    .option('--idle <time>', 'end after so long without a request (default 4h)').option('--detach', 'in the background').option('--status', 'which servers run').option('--stop', 'end one, or all of yours').option('--json', 'for programs')
    .action(async (options: ServeFlags) => (await import('./serve.ts')).serve(options));

  bylaw.command('compile', { hidden: true }).argument('<folder>').action(compileOrPrint);
  return bylaw;
}

/** The hook reads the plan from the cache, or from here where it can't be kept. */
async function compileOrPrint(folder: string): Promise<void> {
  const { cached, fault } = compile(folder, process.env);
  if (fault === undefined) return warm(process.env);
  print(JSON.stringify(cached));
  throw new Exit(1, fault);
}

export async function main(argv: readonly string[]): Promise<void> {
  // `bylaw status | head -1`: the reader has enough.
  process.stdout.on('error', (error) => {
    if ('code' in error && error.code === 'EPIPE') process.exit();
    throw error;
  });
  try {
    await program().parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
    else if (error instanceof Exit) {
      if (error.message !== '') complain(error.message);
      process.exitCode = error.code;
    } else {
      complain(`internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      process.exitCode = 2;
    }
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href && import.meta.url.endsWith('.ts')) await main(process.argv);
