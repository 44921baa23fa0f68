/** The version people see, and the one that plans belong to: a plan of another build is compiled anew. */
declare const BYLAW_BUILD: string | undefined;

export const VERSION = '0.1.0';
export const ENGINE = typeof BYLAW_BUILD === 'string' ? `${VERSION}+${BYLAW_BUILD}` : VERSION;
