/** The hook in process: the same answers as `bylaw hook`, with plans kept in memory and programs that hold up nobody else. */
import type { JsonObject } from '../engine/model.ts';
import { outsideWith } from './outside.ts';
import { residentPlans } from './plan.ts';
import { hook } from './run.ts';

export interface EngineOptions {
  /** The environment that rules see, and that says where state and plans are kept. */
  readonly env?: NodeJS.ProcessEnv;
  /** Where a call without a folder of its own belongs. */
  readonly cwd?: string;
  /** Lines for the person, such as a broken policy; stderr if nobody takes them. */
  readonly note?: (text: string) => void;
}

/** What one call knows better than the engine. */
export interface CallOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** The event's name, for a payload that can't be read. */
  readonly event?: string;
}

export interface Engine {
  /** A hook event as the host writes it → the reply that the host reads; undefined if there is nothing to say. Never allows. */
  readonly answer: (payload: object | string, call?: CallOptions) => Promise<JsonObject | undefined>;
  /** The projects met so far. */
  readonly projects: () => readonly string[];
  /** Resolves when all that is under way is answered; no calls are taken any more. */
  readonly close: () => Promise<void>;
}

export function createEngine({ env = process.env, cwd = process.cwd(), note = complain }: EngineOptions = {}): Engine {
  const plans = residentPlans();
  const edge = { planInForce: plans.planInForce, findOutside: outsideWith(env) };
  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  const judge = async (payload: object | string, call: CallOptions): Promise<JsonObject | undefined> => {
    const input = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const { output, notes } = await hook({ input, env: call.env ?? env, cwd: call.cwd ?? cwd, ...(call.event === undefined ? {} : { event: call.event }) }, edge);
    for (const text of notes) note(text);
    return output;
  };

  return {
    async answer(payload, call = {}) {
      if (closed) throw new Error('the engine is closed');
      const answering = judge(payload, call);
      underWay.add(answering);
      try {
        return await answering;
      } finally {
        underWay.delete(answering);
      }
    },
    projects: plans.projects,
    async close() {
      closed = true;
      await Promise.allSettled(underWay);
    },
  };
}

function complain(text: string): void {
  process.stderr.write(`bylaw: ${text.replace(/\s*\n\s*/g, ' ')}\n`);
}
