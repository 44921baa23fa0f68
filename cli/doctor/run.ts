/** A program with text on its stdin, run to its end without stopping the other checks. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It could not be started, or took too long. */
  readonly fault?: string;
}

export function run([program = '', ...args]: readonly string[], { input = '', cwd, env, timeout }: { readonly input?: string; readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly timeout: number }): Promise<Ran> {
  return new Promise((resolve) => {
    const printed = { stdout: '', stderr: '' };
    const child = spawn(program, args, { cwd, env, stdio: 'pipe' });
    const end = (status: number | null, fault?: string): void => {
      clearTimeout(timer);
      resolve({ status, ...printed, ...(fault === undefined ? {} : { fault }) });
    };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      end(null, `it took longer than ${timeout / 1000} s`);
    }, timeout);
    for (const name of ['stdout', 'stderr'] as const) child[name].setEncoding('utf8').on('data', (chunk: string) => (printed[name] += chunk));
    child.on('error', (error) => end(null, error.message));
    child.on('close', (status, signal) => end(status, signal === null ? undefined : `it was ended by ${signal}`));
    // A hook need not read what it is given.
    child.stdin.on('error', () => undefined).end(input);
  });
}

/** Where the system finds a program; undefined if it does not. */
export function whereIs(program: string, env: Readonly<Record<string, string>>): string | undefined {
  if (isAbsolute(program) || program.includes('/')) return existsSync(program) ? program : undefined;
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  return (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '').flatMap((folder) => endings.map((ending) => join(folder, program + ending))).find((file) => existsSync(file));
}
