/** Lists and records whose entries are read when they are first looked at: a hook call needs a few rules of many. */

/** Like an array of so many entries. */
export function lazyList<T>(length: number, read: (index: number) => T): readonly T[] {
  const list: T[] = Array.from({ length });
  const done = new Set<number>();
  return new Proxy(list, {
    get(target, key, self) {
      const index = typeof key === 'string' ? Number(key) : NaN;
      if (Number.isInteger(index) && index >= 0 && index < length && !done.has(index)) {
        target[index] = read(index);
        done.add(index);
      }
      return Reflect.get(target, key, self);
    },
  });
}

/** Like an object with these keys, which are sorted. */
export function lazyRecord<T>(names: readonly string[], read: (index: number) => T): Readonly<Record<string, T>> {
  const done: Record<string, T> = Object.create(null);
  const find = (key: string): T | undefined => {
    if (key in done) return done[key];
    const index = placeOf(names, key);
    return index < 0 ? undefined : (done[key] = read(index));
  };
  return new Proxy<Record<string, T>>(
    {},
    {
      get: (target, key) => (typeof key === 'string' ? find(key) : Reflect.get(target, key)),
      has: (_, key) => typeof key === 'string' && placeOf(names, key) >= 0,
      ownKeys: () => [...names],
      getOwnPropertyDescriptor(_, key) {
        const value = typeof key === 'string' ? find(key) : undefined;
        return value === undefined ? undefined : { value, enumerable: true, configurable: true, writable: true };
      },
    },
  );
}

/** By halves; below 0 if it is not there. */
function placeOf(names: readonly string[], key: string): number {
  let low = 0;
  let high = names.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const name = names[middle] ?? '';
    if (name === key) return middle;
    if (name < key) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
