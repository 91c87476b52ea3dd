/**
 * A value, or a promise of it. A value without a promise is used at once: an `await` would cost a turn of the microtask queue and
 * lengthen the life of all objects of a request.
 */
export type Awaitable<T> = T | Promise<T>

/** Applies a function to a value: at once, or when its promise is fulfilled. */
export function andThen<T, Next>(value: Awaitable<T>, next: (value: T) => Awaitable<Next>): Awaitable<Next> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Calls `run` and returns its value; if `run` throws or its promise is rejected, returns the value of `onError`. */
export function rescued<T>(run: () => Awaitable<T>, onError: (error: unknown) => T): Awaitable<T> {
  try {
    const value = run()
    return value instanceof Promise ? value.catch(onError) : value
  } catch (error) {
    return onError(error)
  }
}

/** Calls `run` and returns its value; calls `cleanUp` after success and after failure, as `finally` does. */
export function lastly<T>(run: () => Awaitable<T>, cleanUp: () => void): Awaitable<T> {
  let value: Awaitable<T>
  try {
    value = run()
  } catch (error) {
    cleanUp()
    throw error
  }
  if (value instanceof Promise) return value.finally(cleanUp)
  cleanUp()
  return value
}
