/** The modules of `src/testing/` in `dist/`. */

/** A module that users import in their tests. */
interface TestingModule {
  /** The name of its source, and of its entry in `exports` of package.json. */
  readonly name: string
  /** vitest cannot be loaded by `require`; the other modules are CommonJS, which `import` loads, too. */
  readonly format: 'esm' | 'cjs'
  /** The libraries that it imports, which its users have. */
  readonly libraries: readonly string[]
  /** The function that is all of the module, as test runners demand of a global set-up; absent for named exports. */
  readonly only?: string
}

export const testingModules: readonly TestingModule[] = [
  { name: 'vitest', format: 'esm', libraries: ['vitest'] },
  { name: 'jest', format: 'cjs', libraries: [] },
  { name: 'node-test', format: 'cjs', libraries: ['node:test'] },
  { name: 'playwright', format: 'cjs', libraries: ['@playwright/test'] },
  { name: 'testcontainers', format: 'cjs', libraries: ['testcontainers'] },
  { name: 'global-setup', format: 'cjs', libraries: [], only: 'globalSetup' },
  { name: 'global-teardown', format: 'cjs', libraries: [], only: 'globalTeardown' },
]

/** Returns the name of the file of a module: `vitest.js`, `jest.cjs`. */
export const fileOf = ({ name, format }: TestingModule) => `${name}.${format === 'esm' ? 'js' : 'cjs'}`

/** Returns the name of the file of its declarations: `vitest.d.ts`, `jest.d.cts`. */
export const declarationsOf = ({ name, format }: TestingModule) => `${name}.d.${format === 'esm' ? 'ts' : 'cts'}`
