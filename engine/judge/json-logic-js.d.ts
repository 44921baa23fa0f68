/** The two calls of json-logic-js that logic.ts makes. */
declare module 'json-logic-js' {
  const jsonLogic: {
    apply(logic: unknown, data: unknown): unknown;
    add_operation(name: string, operation: (this: unknown, ...args: unknown[]) => unknown): void;
  };
  export default jsonLogic;
}
