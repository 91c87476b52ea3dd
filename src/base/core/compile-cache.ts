import nodeModule from 'node:module'

/** Node's functions that store the code that V8 has compiled, for the next start. Node 20 has none of them. */
export const compileCache = nodeModule as {
  readonly enableCompileCache?: () => void
  readonly flushCompileCache?: () => void
}
