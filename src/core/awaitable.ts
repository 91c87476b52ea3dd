/**
 * A value that is there, or will be. What is there is gone on with at once: to wait for it costs a turn of the microtask queue, and
 * all that a request holds gets older meanwhile.
 */
export type Awaitable<T> = T | Promise<T>

/** What is made of a value once it is there. */
export function andThen<T, Made>(value: Awaitable<T>, make: (value: T) => Awaitable<Made>): Awaitable<Made> {
  return value instanceof Promise ? value.then(make) : make(value)
}

/** What a function gives; where it fails, now or later, what is made of the error. */
export function rescued<T>(give: () => Awaitable<T>, failed: (error: unknown) => T): Awaitable<T> {
  try {
    const value = give()
    return value instanceof Promise ? value.catch(failed) : value
  } catch (error) {
    return failed(error)
  }
}

/** What a function gives; `end` is called once that is there or has failed. */
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
