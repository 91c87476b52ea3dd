/**
 * What every file and folder of `src/` may import of ours. A name that ends in a slash is a whole folder, any other is
 * that file alone; a folder may always import itself. Each row knows only rows above it; `knots` has the exceptions.
 */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  // The vocabulary: no row below is known here.
  'core/awaitable.ts': [],
  'core/json.ts': [],
  'core/seeded.ts': [],
  'core/log.ts': [],
  'fixtures/bundled.ts': [],
  'core/lru-cache.ts': [],
  'core/query-string.ts': ['core/lru-cache.ts'],
  'core/byte-size.ts': [],
  'core/utc-day.ts': [],
  'core/json-pointer.ts': ['core/json.ts'],
  'core/strict-json.ts': ['core/json.ts', 'core/json-pointer.ts'],

  // Three that know nothing of each other, nor of us.
  'documents/': ['contract/contract.ts', 'core/json.ts', 'core/json-pointer.ts'],
  'contract/': ['core/json.ts', 'core/json-pointer.ts', 'documents/'],
  'simulation/': ['core/seeded.ts', 'core/json.ts', 'core/utc-day.ts'],
  'state/': ['core/awaitable.ts', 'core/seeded.ts', 'core/json.ts', 'core/utc-day.ts'],

  'sandboxes/clock.ts': ['documents/formats.ts'],

  // A request, an answer, and what can be made of them.
  'sandboxes/sandboxes.ts': ['sandboxes/clock.ts', 'scenarios/rules.ts'],
  'exchange/exchange.ts': [
    'core/awaitable.ts',
    'contract/contract.ts',
    'core/json.ts',
    'core/strict-json.ts',
    'sandboxes/sandboxes.ts',
    'scenarios/',
    'state/store.ts',
  ],
  'exchange/refusals.ts': ['contract/contract.ts', 'exchange/exchange.ts'],
  'scenarios/': [
    'contract/contract.ts',
    'core/seeded.ts',
    'exchange/exchange.ts',
    'core/json.ts',
    'core/json-pointer.ts',
    'exchange/refusals.ts',
  ],
  'fixtures/fixtures.ts': [
    '../spec/fixtures.schema.json',
    'contract/contract.ts',
    'documents/precompiled.ts',
    'documents/schema.ts',
    'documents/source.ts',
    'core/json.ts',
    'core/json-pointer.ts',
    'simulation/',
  ],
  'operations/': [
    'core/awaitable.ts',
    'contract/contract.ts',
    'documents/formats.ts',
    'exchange/exchange.ts',
    'core/json.ts',
    'core/lru-cache.ts',
    'simulation/',
    'state/store.ts',
    'core/utc-day.ts',
  ],

  'journal/': [
    'contract/contract.ts',
    'exchange/exchange.ts',
    'core/json.ts',
    'core/strict-json.ts',
    'core/json-pointer.ts',
    'core/query-string.ts',
    'scenarios/',
    'core/utc-day.ts',
  ],

  // Two that never call each other: they meet in state, journal and sandboxes.
  'pipeline/': [
    'core/awaitable.ts',
    'sandboxes/clock.ts',
    'contract/contract.ts',
    'contract/fallback.ts',
    'contract/media-types.ts',
    'core/seeded.ts',
    'exchange/exchange.ts',
    'fixtures/fixtures.ts',
    'journal/',
    'core/json.ts',
    'core/log.ts',
    'operations/handler.ts',
    'core/query-string.ts',
    'exchange/refusals.ts',
    'sandboxes/sandboxes.ts',
    'scenarios/',
    'state/store.ts',
  ],
  'control/': [
    'core/awaitable.ts',
    'sandboxes/clock.ts',
    'contract/contract.ts',
    'exchange/exchange.ts',
    'fixtures/fixtures.ts',
    'journal/',
    'core/json.ts',
    'core/strict-json.ts',
    'core/log.ts',
    'core/query-string.ts',
    'exchange/refusals.ts',
    'sandboxes/sandboxes.ts',
    'scenarios/',
    'state/sandboxes.ts',
    'state/store.ts',
  ],

  // The edge knows values, not what makes them.
  'http/': [
    'core/awaitable.ts',
    'exchange/exchange.ts',
    'core/log.ts',
    'exchange/refusals.ts',
    'core/byte-size.ts',
  ],

  // The top: where the parts are put together.
  'config/setting.ts': [],
  'reports/gates.ts': ['reports/model.ts'],
  'config/evidence-settings.ts': ['reports/gates.ts', 'config/setting.ts'],
  'config/settings.ts': [
    'sandboxes/clock.ts',
    'core/seeded.ts',
    'config/evidence-settings.ts',
    'config/setting.ts',
    'core/byte-size.ts',
  ],
  'config/arguments.ts': ['config/setting.ts', 'config/settings.ts'],
  'scenarios/rules-file.ts': [
    '../spec/scenarios.schema.json',
    'contract/contract.ts',
    'documents/schema.ts',
    'documents/source.ts',
    'core/json.ts',
    'scenarios/rules.ts',
  ],
  'simulator/seed-state.ts': [
    'contract/contract.ts',
    'documents/source.ts',
    'sandboxes/sandboxes.ts',
    'state/sandboxes.ts',
    'state/store.ts',
    'state/transfer.ts',
  ],
  'simulator/loaded-inputs.ts': [
    'contract/contract.ts',
    'contract/load.ts',
    'fixtures/fixtures.ts',
    'scenarios/rules-file.ts',
    'scenarios/',
    'config/settings.ts',
    'fixtures/bundled.ts',
  ],
  'simulator/previews.ts': [
    'contract/contract.ts',
    'fixtures/fixtures.ts',
    'reports/ways.ts',
    'operations/analytics.ts',
    'scenarios/',
    'simulation/',
  ],
  'simulator/evidence.ts': [
    'contract/contract.ts',
    'fixtures/fixtures.ts',
    'journal/',
    'simulator/previews.ts',
    'sandboxes/sandboxes.ts',
    'scenarios/',
    'simulation/',
  ],
  'simulator/explain.ts': [
    'control/seen.ts',
    'exchange/exchange.ts',
    'journal/',
    'core/log.ts',
    'operations/handler.ts',
    'pipeline/pipeline.ts',
    'sandboxes/sandboxes.ts',
    'state/store.ts',
  ],
  'simulator/simulator.ts': [
    'core/awaitable.ts',
    'sandboxes/clock.ts',
    'contract/',
    'control/',
    'simulator/evidence.ts',
    'exchange/exchange.ts',
    'simulator/explain.ts',
    'fixtures/fixtures.ts',
    'journal/',
    'core/log.ts',
    'operations/',
    'pipeline/',
    'sandboxes/sandboxes.ts',
    'simulator/seed-state.ts',
    'config/settings.ts',
    'fixtures/bundled.ts',
    'simulation/',
    'simulator/loaded-inputs.ts',
    'state/',
  ],
  'simulator/start.ts': [
    'contract/contract.ts',
    'http/',
    'journal/',
    'core/log.ts',
    'config/settings.ts',
    'simulator/simulator.ts',
  ],
  'index.ts': ['config/settings.ts', 'simulator/start.ts'],
  'cli/check.ts': [
    'contract/contract.ts',
    'contract/load.ts',
    'documents/source.ts',
    'fixtures/fixtures.ts',
    'scenarios/rules-file.ts',
    'scenarios/rules.ts',
    'fixtures/bundled.ts',
  ],
  'reports/report-file.ts': ['journal/report/'],
  'cli/tune-v8.ts': [],
  'cli/exec.ts': [],
  'cli/process-log.ts': ['core/log.ts'],
  'cli/health.ts': [],
  'cli/cli.ts': [
    'config/arguments.ts',
    'cli/check.ts',
    'contract/contract.ts',
    'contract/load.ts',
    'cli/tune-v8.ts',
    'cli/exec.ts',
    'reports/gates.ts',
    'cli/health.ts',
    'reports/model.ts',
    'cli/process-log.ts',
    'reports/report-file.ts',
    'scenarios/describe.ts',
    'config/settings.ts',
    'fixtures/bundled.ts',
    'simulator/loaded-inputs.ts',
    'simulator/start.ts',
  ],

  // Makes dist/; not a part of it.
  'build/': ['contract/', 'fixtures/fixtures.ts', 'core/json.ts', 'fixtures/bundled.ts'],
}

/** Files that may name one another's types in a circle. Loading them is never one. */
export const knots: readonly { readonly among: readonly string[]; readonly why: string }[] = [
  {
    among: ['exchange/exchange.ts', 'exchange/refusals.ts', 'sandboxes/sandboxes.ts', 'scenarios/'],
    why: 'an exchange and its sandbox carry what is switched on, and a scenario acts on an exchange',
  },
  {
    among: ['state/store.ts', 'state/sandboxes.ts'],
    why: 'the port is the sum of its parts, which speak of what is stored',
  },
]

/** What cannot be reached from a folder by any chain of imports that loads code, with the reason it matters. */
export const neverReaches = [
  ['contract/', 'simulation/', 'the document is understood without inventing anything'],
  ['contract/', 'state/', 'the document is the same whatever was stored'],
  ['simulation/', 'state/', 'figures are a function of seed, model and day'],
  ['simulation/', 'contract/', 'figures do not depend on how they are described'],
  ['state/', 'contract/', 'what is stored was checked before'],
  ['state/', 'simulation/', 'what is stored is what was sent'],
  ['pipeline/', 'control/', 'a request of the service is never answered by the control plane'],
  ['control/', 'pipeline/', 'a look from the control plane is never recorded as a request'],
  ['pipeline/', 'http/', 'a reply is a value until it is delivered'],
  ['control/', 'http/', 'a reply is a value until it is delivered'],
  ['simulator/simulator.ts', 'http/', 'a simulator can be asked without a socket'],
] as const

/** Who may import a library, and how. `lazy`: only by `import()`, since it is slow to load and seldom needed. */
export const libraries: Readonly<Record<string, { readonly only: readonly string[]; readonly lazy?: true }>> =
  {
    '@faker-js/faker': { only: ['simulation/'] },
    '@seriousme/openapi-schema-validator': { only: ['contract/checks/structure.ts'], lazy: true },
    '@stoplight/prism-http': { only: ['contract/fallback.ts'], lazy: true },
    ajv: { only: ['contract/'] },
    'ajv-formats': { only: ['contract/'] },
    commander: { only: ['config/arguments.ts'] },
    cors: { only: ['http/'] },
    esbuild: { only: ['build/'] },
    express: { only: ['http/'] },
    lowdb: { only: ['state/'] },
    // Prism asks its caller for a logger that can have children.
    pino: { only: ['cli/process-log.ts', 'contract/fallback.ts'] },
    'pino-pretty': { only: ['cli/process-log.ts'], lazy: true },
    'prom-client': { only: ['control/metrics.ts'], lazy: true },
    yaml: { only: ['contract/'] },
  }

/** Something that code may do in few places only. `pattern` is looked for in the code, comments and strings but those of imports left out. */
export interface Habit {
  readonly sentence: string
  readonly pattern: RegExp
  /** Files, and folders with a slash. */
  readonly only: readonly string[]
  /** What to do instead. */
  readonly instead: string
}

export const habits: readonly Habit[] = [
  {
    sentence: 'the process is touched by the command line alone',
    pattern: /\bprocess\s*[.[]|'node:process'/,
    only: ['cli/cli.ts', 'build/'],
    instead: 'take what you need as a value, and let cli.ts hand it over',
  },
  {
    sentence: 'time comes in as a value',
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bhrtime\b/,
    only: ['cli/cli.ts', 'simulator/start.ts', 'http/'],
    instead: 'take `now` from the exchange or the sandbox',
  },
  {
    sentence: 'chance comes in as a value',
    pattern: /\bMath\.random\b|\brandom(UUID|Bytes|Int)\b|\bgetRandomValues\b/,
    only: [],
    instead: 'derive it (derive.ts), so that a run can be repeated byte for byte',
  },
  {
    sentence: 'only the edge writes to sockets',
    pattern: /\.writeHead\(|\b(res|response)\.(end|write|json|send)\(|\bsocket\.(write|end|destroy)\(/,
    only: ['http/'],
    instead: 'return a Reply',
  },
]

/** Where a habit is broken for a reason. One that is no longer needed fails, too. */
export const exceptions: readonly {
  readonly path: string
  readonly sentence: string
  readonly why: string
}[] = [
  {
    path: 'state/file/lock.ts',
    sentence: 'the process is touched by the command line alone',
    why: 'a lock names the process that holds it, and asks whether another one lives',
  },
  {
    path: 'state/file/lock.ts',
    sentence: 'time comes in as a value',
    why: 'a holder is alive while its file is touched, in the time of the machine and not of a sandbox',
  },
  {
    path: 'state/file/lock.ts',
    sentence: 'chance comes in as a value',
    why: 'two holders must differ even where everything about them is the same; no answer shows it',
  },
]

/** Lines of the longest file there may be. */
export const maxLines = 250

/** Longer files, each with its reason. */
export const longFiles: Readonly<Record<string, string>> = {}
