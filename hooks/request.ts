/** Who may ask the server what: each request is let in, or refused with a status and a reason. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Place } from './record.ts';

export interface Refused {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415;
  readonly error: string;
}

/** Bytes. A tool call with a whole file in it has a few; nothing that an agent sends comes near. */
export const MAX_BODY = 32 * 1024 * 1024;
const METHODS: Readonly<Record<string, string>> = { '/hook': 'POST', '/stop': 'POST', '/health': 'GET' };

/** By its headers alone, before a byte of the body is kept. */
export function refusal(request: IncomingMessage, place: Place, token: string | undefined): Refused | undefined {
  const { headers, method, url = '' } = request;
  // A page in a browser may reach loopback: under a name that now points here, or openly, with an origin.
  if (!isHere(headers.host, place)) return { status: 403, error: 'the Host header must be 127.0.0.1 or localhost, with the port' };
  if (headers.origin !== undefined) return { status: 403, error: 'requests of web pages are refused' };
  if (token !== undefined && !hasToken(headers.authorization, token)) return { status: 401, error: 'the header `Authorization: Bearer …` must hold the BYLAW_TOKEN that the server was started with' };
  const wanted = Object.hasOwn(METHODS, url) ? METHODS[url] : undefined;
  if (wanted === undefined) return { status: 404, error: 'there is POST /hook, POST /stop and GET /health' };
  if (method !== wanted) return { status: 405, error: `${url} takes ${wanted}` };
  if (url !== '/hook') return undefined;
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) return { status: 415, error: 'the body must be application/json' };
  return Number(headers['content-length'] ?? 0) > MAX_BODY ? TOO_LARGE : undefined;
}

const TOO_LARGE: Refused = { status: 413, error: `the body is larger than ${MAX_BODY} bytes` };

export async function bodyOf(request: IncomingMessage): Promise<string | Refused> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    // It is read to its end all the same: a client that is cut off does not read why.
    if (bytes <= MAX_BODY) chunks.push(chunk);
  }
  return bytes > MAX_BODY ? TOO_LARGE : Buffer.concat(chunks).toString('utf8');
}

function isHere(host: string | undefined, place: Place): boolean {
  if ('port' in place) return host === `127.0.0.1:${place.port}` || host === `localhost:${place.port}`;
  return host !== undefined && /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host);
}

/** Takes as long for a wrong token as for the right one of the same length. */
function hasToken(header: string | undefined, token: string): boolean {
  const given = Buffer.from(/^Bearer (.+)$/i.exec(header ?? '')?.[1] ?? '');
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
