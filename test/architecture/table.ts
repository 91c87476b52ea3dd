/** A room: a folder of `src/` with one sentence. */
export interface Room {
  /** The sentence that opens the room's main file. */
  readonly sentence: string
  /** The name of the main file, which a reader opens first. */
  readonly main: string
}

const room = (main: string, sentence: string): Room => ({ main, sentence })

/**
 * The rooms of `src/` from the bottom to the top: a room imports only rooms above it in this table. `src/` holds these
 * folders and `index.ts`, which exports what users import.
 */
export const rooms: Readonly<Record<string, Room>> = {
  core: room('json.ts', 'Small tools without domain and without I/O.'),
  documents: room('source.ts', 'YAML and JSON files with line numbers, schema checks, findings.'),
  redaction: room('redact.ts', 'Credentials removed from what is stored and shown.'),
  contract: room('contract.ts', 'An OpenAPI document as operations that can be matched and checked.'),
  simulation: room('world.ts', 'Invented analytics: pure functions, the only faker.'),
  state: room('store.ts', "The simulator's memory: the port, its commands, memory/, file/ and redis/."),
  fixtures: room('fixtures.ts', 'Keys, plans, products, models, personas: loaded and checked.'),
  exchange: room(
    'request.ts',
    'The vocabulary of one HTTP exchange: request, reply, delivery, refusals, decision trace.',
  ),
  scenarios: room('definition.ts', 'Everything that can be switched on.'),
  http: room('app.ts', 'Sockets: Express, requests in, replies out.'),
  sandboxes: room('sandboxes.ts', "The registry of sandboxes, and a sandbox's clock."),
  operations: room('index.ts', "The service's operations, one file each, and their table."),
  journal: room('journal.ts', 'The record of requests and replies: record, find, match, share with replicas.'),
  reports: room(
    'report.ts',
    'The meaning of the traffic: coverage, retries and manners, violations, fail conditions, page/.',
  ),
  upstream: room(
    'parse-upstream.ts',
    'The real service over HTTP: time limits, retries, nothing secret written; traffic/ reads recordings.',
  ),
  pipeline: room('pipeline.ts', 'Sends a request through the stages; `createSimulatorStages` has their order.'),
  control: room('control.ts', 'The control plane under /__sim.'),
  config: room('settings.ts', 'The settings of a server, and the parser of a command line.'),
  process: room('output.ts', 'The process: a command, output, signals, progress.'),
  mcp: room('mcp.ts', 'Tools for coding agents: MCP over HTTP and stdio, and a skill.'),
  simulator: room('simulator.ts', 'Puts the parts together: create, start, explain, seed state.'),
  server: room('serve.ts', 'The run of a server: start, ready line, stop, and what it writes at its end.'),
  proxy: room(
    'proxy.ts',
    "The real service in place of the simulator's own operations, with scenarios and checks in front of it.",
  ),
  exec: room('exec.ts', 'Runs a test suite against the simulator: as it is, or once for each fault.'),
  drift: room('drift.ts', 'Differences between the real service and the contract: shapes, findings, verdict, patch.'),
  record: room('record.ts', 'Recorded traffic as a folder of fixtures.'),
  cli: room('cli.ts', 'The process: commands, signals, exit codes.'),
  client: room('connect.ts', 'The typed client of the control plane, for tests: a simulator, and its sandboxes.'),
  testing: room('start-simulator.ts', 'The modules that users import in their tests.'),
  console: room('main.tsx', 'The web page, a client of /__sim like any other.'),
  build: room('build.ts', 'The bundle.'),
}

/** The features, which do not import each other. */
export const features = ['mcp', 'proxy', 'exec', 'drift', 'record']

/** The rooms that import no others than these. */
export const closedRooms: Readonly<Record<string, readonly string[]>> = {
  simulation: ['core'],
  http: ['core', 'exchange'],
  client: [],
  testing: ['core', 'config', 'client', 'simulator'],
  console: ['client'],
}

/** Rooms that no chain of imports leads to from another room, with the reason. */
export const neverReaches = [
  ['pipeline/', 'control/', 'a request of the service is never answered by the control plane'],
  ['control/', 'pipeline/', 'a request to the control plane is never recorded as one to the service'],
  ['pipeline/', 'http/', 'a reply is a value until it is delivered'],
  ['control/', 'http/', 'a reply is a value until it is delivered'],
  ['index.ts', 'console/', 'the page runs in a browser'],
  ['simulator/simulator.ts', 'http/', 'a simulator answers without a socket'],
] as const

/** The only places that may import a library. `lazy`: by `import()` alone, since it is slow to load, seldom needed. */
export const libraries: Readonly<Record<string, { readonly only: readonly string[]; readonly lazy?: true }>> = {
  '@modelcontextprotocol/server': { only: ['mcp/library.ts'] },
  '@faker-js/faker': { only: ['simulation/'] },
  '@preact/signals': { only: ['console/'] },
  '@seriousme/openapi-schema-validator': { only: ['contract/checks/structure.ts'], lazy: true },
  '@stoplight/prism-http': { only: ['contract/fallback.ts'], lazy: true },
  ajv: { only: ['documents/', 'contract/'] },
  'ajv-formats': { only: ['documents/', 'contract/'] },
  commander: { only: ['config/parse.ts', 'config/program.ts'] },
  cors: { only: ['http/'] },
  esbuild: { only: ['build/'] },
  express: { only: ['http/'] },
  ioredis: { only: ['state/redis/connection.ts'], lazy: true },
  lowdb: { only: ['state/file/'] },
  'jsonpath-js': { only: ['documents/json-path.ts'] },
  'openapi-fetch': { only: ['client/transport.ts'] },
  '@playwright/test': { only: ['testing/playwright.ts'] },
  testcontainers: { only: ['testing/testcontainers.ts'] },
  vitest: { only: ['testing/vitest.ts'] },
  // Prism asks its caller for a logger that can have children.
  pino: { only: ['process/process-log.ts', 'contract/fallback.ts'] },
  preact: { only: ['console/'] },
  'prom-client': { only: ['control/metrics.ts'], lazy: true },
  yaml: { only: ['documents/'] },
}

/** Something that only a few files may do. `pattern` is searched in their code, without comments and strings. */
export interface Habit {
  readonly sentence: string
  readonly pattern: RegExp
  /** Files, and folders with a slash. */
  readonly only: readonly string[]
  /** The advice for a line that has the pattern. */
  readonly instead: string
}

export const habits: readonly Habit[] = [
  {
    sentence:
      'only the command line, the build, what runs in the processes of tests, the lock and the name of a replica ' +
      '(their id), the time limit (its processor time) and timers.ts (the end of a callback) use the process',
    pattern: /\bprocess\s*[.[]|'node:process'/,
    only: [
      'cli/cli.ts',
      'build/',
      'testing/',
      'state/file/lock.ts',
      'simulator/open-state.ts',
      'core/run-with-timeout.ts',
      'core/timers.ts',
    ],
    instead: 'take it as a parameter that cli.ts passes',
  },
  {
    sentence:
      'only cli.ts, start.ts, http/, timers.ts, slices of work, the lock, the pauses between checkpoints and ' +
      "the web page read the machine's time",
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bhrtime\b|\b(machine|monotonic)Now\b/,
    only: [
      'cli/cli.ts',
      'core/timers.ts',
      'core/slices.ts',
      'simulator/start.ts',
      'http/',
      'state/file/lock.ts',
      'state/file/durable-committer.ts',
      'console/',
    ],
    instead: 'take `now` from the exchange or the sandbox',
  },
  {
    sentence:
      'only the nonce of a lock, the ids of replicas, the placeholder of records in a state file, and ' +
      'the names of sandboxes beside those of other processes are random',
    pattern: /\bMath\.random\b|\brandom(UUID|Bytes|Int)\b|\bgetRandomValues\b/,
    only: [
      'state/file/lock.ts',
      'state/file/state-text.ts',
      'state/redis/sandbox-scripts.ts',
      'state/redis/journal-stream.ts',
      'client/connect.ts',
    ],
    instead: 'derive it (core/seeded.ts), so that a run can be repeated byte for byte',
  },
  {
    sentence: 'regular expressions are literals, which a test checks, except in these files',
    pattern: /\bRegExp\(/,
    only: [
      'build/',
      'contract/checks/schemas.ts', // tries the pattern of a schema
      'contract/match.ts', // path templates of the document, compared with one path
      'scenarios/drift.ts', // a field of the contract, compared with pointers
    ],
    instead: 'write a literal',
  },
  {
    sentence: 'only http/ writes to sockets',
    pattern: /\.writeHead\(|\b(res|response)\.(end|write|json|send)\(|\bsocket\.(write|end|destroy)\(/,
    only: ['http/'],
    instead: 'return a Reply',
  },
]

/** The largest number of lines of a file. */
export const maxLines = 250

/** The largest number of columns of a line, in code, comments, strings and prose. */
export const maxColumns = 120

/** Files that a tool writes, so that no rule about lines holds for them. */
export const generatedFiles = ['client/control-types.ts']
