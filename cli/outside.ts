/** Outside facts for commands: all at hand, nothing loaded late, one after the other. */
import { spawnSync } from 'node:child_process';
import type { Event, Need, Outside } from '../engine/model.ts';
import { analyseCommand } from '../hooks/command.ts';
import { findDisarms } from '../hooks/disarms.ts';
import { look, MAX_PRINTED, outcome } from '../hooks/outside.ts';
import type { Ended } from '../hooks/program.ts';

export function lookOutside(need: Need, event: Event): Outside {
  if (need.kind === 'disarms') return findDisarms(need.wanted, event);
  if (need.kind === 'command') return analyseCommand(need.text, event);
  return need.kind === 'run' ? outcome(need, runToEnd(need.command, event.project, need.timeout)) : look(need, event);
}

function runToEnd([program = '', ...args]: readonly string[], cwd: string, timeout: number): Ended {
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, { cwd, timeout, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], killSignal: 'SIGKILL', maxBuffer: MAX_PRINTED });
  const ended = { status, signal, stdout: stdout ?? '', stderr: stderr ?? '' };
  if (error === undefined) return ended;
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return { ...ended, fault: { kind: 'missing', message: `the program ${program} is not installed` } };
  return { ...ended, fault: code === 'ETIMEDOUT' ? { kind: 'slow', message: `${program} took longer than ${timeout} ms` } : { kind: 'other', message: error.message } };
}
