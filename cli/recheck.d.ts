/** The pure build of recheck, without its workers and binaries. */
declare module 'recheck/lib/browser.js' {
  const recheck: {
    checkSync(source: string, flags: string, params?: { timeout?: number; checker?: 'auto' | 'fuzz' | 'automaton' }): { readonly status: 'safe' | 'vulnerable' | 'unknown'; readonly complexity?: { readonly summary: string }; readonly attack?: { readonly pattern: string } };
  };
  export default recheck;
}
