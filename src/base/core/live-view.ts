/**
 * Returns a view of the object that `present` returns at each read of a member, so that its holder sees the latest. The
 * objects are plain, with functions that do not use `this`.
 */
export function createLiveView<T extends object>(present: () => T): T {
  return new Proxy(present(), { get: (_first, name) => Reflect.get(present(), name) })
}
