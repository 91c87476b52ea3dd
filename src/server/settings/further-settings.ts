import { parseDuration } from '../../base/core/instant.ts'
import { parseOrigins } from '../../base/core/origins.ts'
import { parseSize } from '../../base/core/text.ts'
import { boolean, choice, duration, inputFile, integer, isDelay, type SettingTable, text } from './setting.ts'

/** Returns true for a token that a header can carry unchanged. Leading and trailing spaces would be trimmed. */
const isToken = (text: string) => /^[\x20-\x7e]{1,1000}$/.test(text) && text === text.trim()

/** Returns true for a comma-separated list of host names without ports. */
const areHostNames = (text: string) => text.split(',').every((name) => /^[\w.-]+$/.test(name.trim()))

const isWindow = (text: string) => {
  const ms = parseDuration(text) ?? 0
  return ms > 0 && ms % 1000 === 0 && ms <= 30 * 24 * 3_600_000
}

export const furtherSettings = {
  watch: boolean({
    default: false,
    description:
      'Reload the contract, its overlays, the fixtures and the scenario rules file when one of them changes; ' +
      'if any of them has an error, the previous versions of all of them stay in use. The state, ' +
      'sandboxes and journal are kept.',
  }),
  statePrefix: text({
    value: 'NAME',
    default: 'convsim',
    test: (text) => /^[A-Za-z0-9._:-]{1,100}$/.test(text),
    expected: '1 to 100 letters, digits, dots, colons, hyphens or underscores',
    description: 'Prefix of all keys in Redis; replicas with the same prefix share their state.',
  }),
  replica: text({
    value: 'NAME',
    defaultText: 'host name and process ID',
    test: (text) => /^[A-Za-z0-9._-]{1,64}$/.test(text),
    expected: '1 to 64 letters, digits, dots, hyphens or underscores',
    description: 'Name of this process among the replicas that share state in Redis; sent in X-Sim-Replica.',
  }),
  sync: boolean({
    default: false,
    description:
      'Respond to a write only after the change is on disk, so that it survives a power failure; ' +
      'how long this takes depends on the file system.',
  }),
  seedState: text({
    value: 'FILE',
    files: inputFile,
    description:
      'An export (GET /__sim/export) to load into the default sandbox at startup (if the sandbox is empty) ' +
      'and after each reset.',
  }),
  plan: text({
    value: 'NAME',
    default: 'growth',
    description: 'The plan of every key that has no plan in the fixtures.',
  }),
  maxAnalysesPerHour: integer({
    defaultText: "the plan's limit",
    min: 1,
    max: 1_000_000_000,
    description: 'Maximum number of analytics requests per key in each --analyses-window; further requests get a 429.',
  }),
  analysesWindow: text({
    value: 'DURATION',
    default: '1h',
    test: isWindow,
    expected: 'a whole number of seconds from 1s to 30d, such as 10s or 5m',
    description: 'Length of the rate limit window for analytics requests; shorten it if a test waits for a new window.',
  }),
  models: choice({
    of: ['open', 'closed'],
    default: 'open',
    description: 'Models that exist: any UUID (open), or only those in the fixtures (closed).',
  }),
  controlToken: text({
    test: isToken,
    expected: '1 to 1,000 visible ASCII characters, with spaces only between them',
    description: 'Bearer token that the control plane requires.',
  }),
  controlOpen: boolean({
    default: false,
    description: 'Allow a control plane without a token even if other machines can reach it.',
  }),
  controlHosts: text({
    value: 'NAME,...',
    defaultText: 'any name without dots',
    test: areHostNames,
    expected: 'host names separated by commas, e.g. sim.example.com',
    description:
      'Host names accepted by the control plane, and by a proxy with CONVSIM_UPSTREAM_TOKEN, in addition to ' +
      'IP addresses, localhost, *.localhost, *.svc.cluster.local and host.docker.internal.',
  }),
  controlOrigins: text({
    value: 'ORIGIN,...',
    test: (text) => parseOrigins(text) !== undefined,
    expected: 'origins of web pages without a path or wildcard, e.g. http://localhost:6006',
    description:
      'Origins of web pages that may call the control plane and, through a proxy, the real service; ' +
      'for example, http://localhost:6006 for a component workshop.',
  }),
  drain: text({
    value: 'DURATION',
    default: '0s',
    test: isDelay,
    expected: 'a duration of at most 24 days, such as 500ms or 3s',
    description:
      'How long to delay shutdown: requests are still handled, but health checks get a 503, ' +
      'so that a load balancer sends new requests elsewhere.',
  }),
  tls: boolean({
    default: false,
    description:
      'Serve HTTPS with a certificate generated at startup for localhost, the addresses that convsim listens on, and ' +
      '--control-hosts. The path of the CA certificate is printed; the command that exec or each runs trusts this CA.',
  }),
  tlsCert: text({
    value: 'FILE',
    files: inputFile,
    description: 'PEM certificate for HTTPS, including its chain; requires --tls-key.',
  }),
  tlsKey: text({
    value: 'FILE',
    files: inputFile,
    description: 'Unencrypted PEM private key for --tls-cert.',
  }),
  sandboxLimit: integer({
    default: 1000,
    min: 1,
    max: 1_000_000,
    description: 'Maximum number of sandboxes; beyond that, the least recently used sandbox is evicted.',
  }),
  bodyLimit: text({
    value: 'SIZE',
    default: '1mb',
    test: (text) => parseSize(text) !== undefined,
    expected: 'a size of at least 1 byte, in b, kb or mb, such as 500kb or 1mb',
    description: 'Maximum size of a request body; a larger body gets a 413.',
  }),
  journalSize: integer({
    default: 10_000,
    min: 0,
    max: 1_000_000,
    description:
      'Maximum number of exchanges in the journal; beyond that, the oldest are evicted. ' +
      'Fewer fit if exchanges take more than 2 kB each, not counting bodies.',
  }),
  cors: boolean({
    default: true,
    description:
      'Allow browser pages from any origin to call the API (CORS); in a proxy, only pages from --control-origins.',
  }),
  simHeaders: boolean({
    default: true,
    description: 'Send informational response headers (X-Request-Id, X-Sim-...).',
  }),
  xRateLimit: choice({
    of: ['off', 'epoch', 'seconds'],
    default: 'off',
    description:
      'Send X-RateLimit-Limit, -Remaining and -Reset in addition to RateLimit and RateLimit-Policy; ' +
      'X-RateLimit-Reset is in epoch seconds (epoch), or in seconds from now (seconds).',
  }),
  logFormat: choice({
    of: ['auto', 'pretty', 'json'],
    default: 'auto',
    defaultText: 'pretty on a terminal, json elsewhere',
    description: 'Format of the output: readable lines, or one JSON object per line with level, time and msg.',
  }),
  logBodies: boolean({
    default: false,
    description: 'Log the first 2,000 characters of each request and response body.',
  }),
} as const satisfies SettingTable

/** The `upstreamTimeout` setting of `convsim proxy`. */
export const upstreamTimeout = duration({
  default: '30s',
  description:
    'Maximum time until the real service begins its response, and between two parts of the response; ' +
    'beyond that, the client gets a 504 or, if the response has begun, an aborted connection.',
})

/** The `format` setting of the commands that print findings. */
export const format = choice({
  of: ['text', 'json', 'github', 'markdown'],
  default: 'text',
  description:
    'Format of the findings: readable lines (text), one JSON document, ' +
    'GitHub workflow commands (annotations in a pull request), or Markdown.',
})
