import { readFileSync } from 'node:fs'

/** A folder in `src/` that has a row in the architecture page's table of rooms. */
export interface Room {
  /** The path in `src/`, such as `base/core`. */
  readonly path: string
  /** The sentence that opens the room's main file. */
  readonly sentence: string
  /** The name of the main file, which readers open first. */
  readonly main: string
}

const page = readFileSync(new URL('../../docs/development/architecture.md', import.meta.url), 'utf8')

/** Reads the rows of the table in a section of the architecture page. */
function readRows(heading: string): readonly (readonly string[])[] {
  const section = page.split('\n## ').find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim().replace(/^`(.*?)\/?`$/, '$1')))
  return cells.slice(2) // below the table header
}

/** The folders in `src/`, in the order of the page's table: a folder may import only from folders above it. */
export const layers = readRows('The folders').map(([, name = '']) => name)

export const rooms: readonly Room[] = readRows('The rooms').map(([, path = '', sentence = '', main = '']) => ({
  path,
  sentence,
  main,
}))

/** Rooms that may import only from the rooms in their entry. */
export const closedRooms: Readonly<Record<string, readonly string[]>> = {
  'service/simulation': ['base/core'],
  'server/http': ['base/core', 'service/exchange'],
  client: [],
  'client/testing': ['base/core', 'client', 'server/settings', 'server/simulator'],
  console: ['client'],
}

/** The files in `features/` that load features and therefore do not belong to a feature. */
export const featureLoaders = ['features/commands.ts', 'features/start.ts']

/** Each entry: a path, a second path that it must not load (even indirectly), and why. `import()` is allowed. */
export const forbiddenImports = [
  ['server/pipeline/', 'server/control/', 'a request to the service is never handled by the control plane'],
  ['server/control/', 'server/pipeline/', 'a request to the control plane is never recorded as one to the service'],
  ['server/pipeline/', 'server/http/', 'a reply is a value until it is delivered'],
  ['server/control/', 'server/http/', 'a reply is a value until it is delivered'],
  ['index.ts', 'console/', 'the console runs in a browser'],
  ['server/simulator/simulator.ts', 'server/http/', 'a simulator needs no socket to respond'],
] as const

/** The files that may import each library. A `lazy` library may be loaded only with `import()`. */
export const libraries: Readonly<Record<string, { readonly only: readonly string[]; readonly lazy?: true }>> = {
  '@modelcontextprotocol/server': { only: ['features/mcp/library.ts'] },
  '@faker-js/faker': { only: ['service/simulation/'] },
  '@preact/signals': { only: ['console/'] },
  '@scalar/openapi-upgrader': { only: ['service/contract/upgrade.ts'], lazy: true },
  '@seriousme/openapi-schema-validator': { only: ['service/contract/checks/schemas.ts'], lazy: true },
  ajv: { only: ['base/documents/', 'service/contract/', 'build/'] },
  'ajv-formats': { only: ['base/documents/', 'service/contract/'] },
  commander: {
    only: ['command-line/parser/parse.ts', 'command-line/parser/program.ts', 'command-line/parser/table.ts'],
  },
  cors: { only: ['server/http/'] },
  esbuild: { only: ['build/'] },
  'fast-check': { only: ['service/responses/tools.ts'], lazy: true },
  express: { only: ['server/http/'] },
  ioredis: { only: ['state/redis/connection.ts'], lazy: true },
  fflate: { only: ['server/upstream/traffic/'], lazy: true },
  lowdb: { only: ['state/file/'] },
  'node-forge': { only: ['server/http/certificate.ts'], lazy: true },
  'jsonpath-js': { only: ['base/documents/read-overlay.ts'] },
  'openapi-fetch': { only: ['client/transport.ts'] },
  '@playwright/test': { only: ['client/testing/playwright.ts'] },
  testcontainers: { only: ['client/testing/testcontainers.ts'] },
  vitest: { only: ['client/testing/vitest.ts'] },
  // Prism requires a logger that can create child loggers.
  pino: { only: ['command-line/process/process-log.ts', 'service/responses/prism.ts'] },
  '@stoplight/prism-http': { only: ['service/responses/prism.ts'], lazy: true },
  preact: { only: ['console/'] },
  'prom-client': { only: ['server/control/metrics.ts'], lazy: true },
  yaml: { only: ['base/documents/'] },
}

/** Something that only a few files may do. `pattern` is searched for in code, but not in comments or strings. */
export interface Convention {
  readonly sentence: string
  readonly pattern: RegExp
  /** The files, or folders with a trailing slash, whose code may match the pattern. */
  readonly only: readonly string[]
  /** What to do instead in other files. */
  readonly instead: string
}

export const conventions: readonly Convention[] = [
  {
    sentence:
      'only cli.ts, build/, client/testing/, lock.ts (for process and user IDs), open-state.ts (for the process ID), ' +
      'limit-time.ts (for processor time) and timers.ts (for nextTick) use `process`',
    pattern: /\bprocess\s*[.[]|'node:process'/,
    only: [
      'cli.ts',
      'build/',
      'client/testing/',
      'state/file/lock.ts',
      'server/simulator/open-state.ts',
      'base/core/limit-time.ts',
      'base/core/timers.ts',
    ],
    instead: 'take the value as a parameter that cli.ts passes',
  },
  {
    sentence:
      'only cli.ts, start.ts, http/, timers.ts, slices.ts, lock.ts, durable-committer.ts and console/ read the ' +
      "machine's time",
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bhrtime\b|\b(machine|monotonic)Now\b/,
    only: [
      'cli.ts',
      'base/core/timers.ts',
      'base/core/slices.ts',
      'server/simulator/start.ts',
      'server/http/',
      'state/file/lock.ts',
      'state/file/durable-committer.ts',
      'console/',
    ],
    instead: 'take `now` from the exchange or the sandbox',
  },
  {
    sentence:
      'nothing is random except lock nonces, IDs in Redis, the keys of sandbox rules, the placeholder for records ' +
      'in a state file, and sandbox names that must differ between processes',
    pattern: /\bMath\.random\b|\brandom(UUID|Bytes|Int)\b|\bgetRandomValues\b/,
    only: [
      'state/file/lock.ts',
      'state/file/state-file.ts',
      'state/redis/sandbox-scripts.ts',
      'state/redis/journal-stream.ts',
      'server/sandboxes/settings.ts',
      'client/connect.ts',
    ],
    instead: 'derive the value (base/core/seeded.ts), so that a run can be repeated byte for byte',
  },
  {
    sentence: 'except in a few files, regular expressions are literals, so that a test can check them',
    pattern: /\bRegExp\(/,
    only: [
      'build/',
      'service/contract/checks/schemas.ts', // compiles the patterns in schemas
      'service/responses/tools.ts', // matches the patterns in schemas against short strings
    ],
    instead: 'write a literal',
  },
  {
    sentence: 'only http/ writes to sockets',
    pattern: /\.writeHead\(|\bres\.json\(|\b(res|response)\.(end|write|send)\(|\bsocket\.(write|end|destroy)\(/,
    only: ['server/http/'],
    instead: 'return a Reply',
  },
]

/** The maximum number of lines in a handwritten source file. */
export const maxLines = 250

/** The maximum width of a line of code, comments or prose, in columns. */
export const maxColumns = 120

/** Generated files, which are exempt from the rules for handwritten code. */
export const generatedFiles = ['client/control-types.ts', 'service/simulation/service-types.ts']
