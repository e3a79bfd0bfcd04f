/** A store of results by their keys; the oldest goes first. */
export function boundedCache<Value>(most: number): (key: string, make: () => Value) => Value {
  const entries = new Map<string, Value>();
  return (key, make) => {
    const seen = entries.get(key);
    if (seen !== undefined) return seen;
    const value = make();
    if (entries.size >= most) entries.delete(entries.keys().next().value!);
    entries.set(key, value);
    return value;
  };
}
