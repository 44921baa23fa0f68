/** The engine's version; plans of another version are rebuilt. */
export const ENGINE = '0.1.0';
