import nodeModule from 'node:module'

/** The functions with which Node stores the code that V8 has compiled, and takes it at the next start. Node 20 has none of them. */
export const compileCache = nodeModule as {
  readonly enableCompileCache?: () => void
  readonly flushCompileCache?: () => void
}
