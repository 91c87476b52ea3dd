import { createRequire } from 'node:module'

const globals = createRequire(`${process.cwd()}/`)('./foreign-globals.cjs')

export default {
  name: 'browser',
  viteEnvironment: 'ssr',
  setup(global) {
    Object.assign(global, globals)
    return { teardown() {} }
  },
}
