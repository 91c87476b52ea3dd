/**
 * A value, or a promise of it. A value at hand is used at once: waiting for it costs a turn of the microtask queue, and all
 * objects of a request get older meanwhile.
 */
export type Awaitable<T> = T | Promise<T>

/** Applies a function to a value: at once, or when its promise is fulfilled. */
export function andThen<T, Made>(value: Awaitable<T>, make: (value: T) => Awaitable<Made>): Awaitable<Made> {
  return value instanceof Promise ? value.then(make) : make(value)
}

/** Returns the outcome of a function; if the function throws or its promise is rejected, the outcome of `failed`. */
export function rescued<T>(give: () => Awaitable<T>, failed: (error: unknown) => T): Awaitable<T> {
  try {
    const value = give()
    return value instanceof Promise ? value.catch(failed) : value
  } catch (error) {
    return failed(error)
  }
}

/** Returns the outcome of a function, and calls `end` after success and after failure alike. */
export function lastly<T>(give: () => Awaitable<T>, end: () => void): Awaitable<T> {
  let value: Awaitable<T>
  try {
    value = give()
  } catch (error) {
    end()
    throw error
  }
  if (value instanceof Promise) return value.finally(end)
  end()
  return value
}
