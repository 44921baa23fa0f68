/** Runs a program to its end without stopping anything else; the module for it is loaded only then. */

export interface Ended {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why there is no proper end: it is not installed, it was too slow, it printed too much. */
  readonly fault?: { readonly kind: 'missing' | 'slow' | 'other'; readonly message: string };
}

export interface ProgramOptions {
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds. */
  readonly timeout: number;
  readonly maxBytes: number;
}

export async function runProgram([program = '', ...args]: readonly string[], { cwd, env, timeout, maxBytes }: ProgramOptions): Promise<Ended> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...(cwd === undefined ? {} : { cwd }), env, stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    let bytes = 0;
    const end = (status: number | null, signal: string | null, fault?: Ended['fault']): void => {
      clearTimeout(timer);
      resolve({ status, signal, stdout: Buffer.concat(printed.stdout).toString(), stderr: Buffer.concat(printed.stderr).toString(), ...(fault === undefined ? {} : { fault }) });
    };
    /** Its own children may hold the pipes open; nobody waits for those. */
    const stop = (kind: 'slow' | 'other', message: string): void => {
      child.kill('SIGKILL');
      child.stdout.destroy();
      child.stderr.destroy();
      end(null, 'SIGKILL', { kind, message });
    };
    const timer = setTimeout(() => stop('slow', `${program} took longer than ${timeout} ms`), timeout);
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        printed[name].push(chunk);
        if (bytes > maxBytes) stop('other', `${program} printed more than ${maxBytes} bytes`);
      });
    }
    child.on('error', (error) => end(null, null, 'code' in error && error.code === 'ENOENT' ? { kind: 'missing', message: `the program ${program} is not installed` } : { kind: 'other', message: error.message }));
    child.on('close', (status, signal) => end(status, signal));
  });
}
