/** Returns a function that computes its result anew only for another argument than the last. */
export function memoizeLast<Argument, Result>(compute: (argument: Argument) => Result): (argument: Argument) => Result {
  let last: { readonly argument: Argument; readonly result: Result } | undefined
  return (argument) => {
    if (last === undefined || last.argument !== argument) last = { argument, result: compute(argument) }
    return last.result
  }
}
