import { cutText } from '../../base/core/text.ts'
import type { Contract } from '../../service/contract/contract.ts'
import { refusals } from '../../service/exchange/refusals.ts'
import type { Reply } from '../../service/exchange/reply.ts'
import type { OperationHandlers } from '../../service/operations/index.ts'
import { isSandboxName, readSandboxOfBaggage, sandboxNameRule } from '../sandboxes/sandboxes.ts'
import type { Exchange, PipelineSandboxes, RequestStage } from './exchange.ts'

/**
 * Finds the sandbox and the operation: 404 for an unknown path, 405 for a wrong method. An aborted body ends here: the
 * real service would not have seen the request, so it consumes no rate and no item of a sequence. With `passesUnknown`
 * a proxy passes on requests that match no operation.
 */
export function identify(
  contract: Contract,
  handlers: OperationHandlers,
  sandboxes: PipelineSandboxes,
  passesUnknown = false,
): RequestStage {
  const knownPaths = [...new Set(contract.operations.map(({ path }) => contract.basePath + path))]
  return async function identify(exchange) {
    const { request } = exchange
    const [, sandboxOfPath, rest] = /^\/_s\/([^/]*)(\/.*)$/.exec(request.path) ?? []
    exchange.path = rest ?? request.path
    const refusal = enterSandbox(exchange, sandboxes, sandboxOfPath)
    // Before the first await, which fails while a shared state is away: the journal has the operation also then.
    const unknown = refusal ? undefined : matchOperation(exchange, contract, knownPaths)
    exchange.handler = exchange.operation && handlers.get(exchange.operation.id)
    const { seed, rules, clock } = await sandboxes.settings.read(exchange.sandbox.name)
    exchange.seed = seed
    exchange.rules = rules
    exchange.now = clock.now
    const aborted = request.body.kind === 'aborted' ? refusals.aborted() : undefined
    return refusal ?? (passesUnknown ? undefined : unknown) ?? aborted
  }
}

const keyTrap =
  `What stands behind the last "~" of the key names a sandbox, and cannot: a name is ${sandboxNameRule}. ` +
  'Has the key itself a tilde? Then add one of your own behind it: key~default.'

/** Switches to the sandbox that the request names by header, key, path or baggage; without a name it is `default`. */
function enterSandbox(exchange: Exchange, sandboxes: PipelineSandboxes, ofPath: string | undefined): Reply | undefined {
  const { headers } = exchange.request
  const ofKey = exchange.bearer.ok ? exchange.bearer.sandbox : undefined
  // The text after the tilde may be part of a secret key: the refusal does not repeat it.
  if (ofKey !== undefined && !isSandboxName(ofKey)) return refusals.control(keyTrap)
  const names = [headers['x-sim-sandbox'], ofKey, ofPath].filter((name) => name !== undefined)
  const name = names[0] ?? readNameOfBaggage(exchange)
  if (name === undefined) return undefined
  if (names.some((other) => other !== name))
    return refusals.control(`The request names more than one sandbox: ${[...new Set(names)].join(', ')}.`)
  if (!isSandboxName(name)) return refusals.control(`"${cutText(name)}" cannot name a sandbox: ${sandboxNameRule}.`)
  const sandbox = sandboxes.use(name)
  exchange.sandbox.activeRequests -= 1
  sandbox.activeRequests += 1
  exchange.sandbox = sandbox
  return undefined
}

/** Returns the sandbox that the header `baggage` names, if any. A wrong name gets advice: others use baggage, too. */
function readNameOfBaggage(exchange: Exchange): string | undefined {
  const name = readSandboxOfBaggage(exchange.request.headers['baggage'])
  if (!name.ok) {
    exchange.advice = [{ in: 'header', pointer: '/baggage', keyword: 'baggage', message: name.error }]
    return undefined
  }
  if (name.value !== undefined) exchange.trace?.decisions.push(`The header baggage names the sandbox "${name.value}".`)
  return name.value
}

function matchOperation(exchange: Exchange, contract: Contract, knownPaths: readonly string[]): Reply | undefined {
  const { path, request } = exchange
  const match = contract.match(request.method, path)
  switch (match.kind) {
    case 'operation':
      exchange.operation = match.operation
      exchange.pathParameters = match.path
      return undefined
    case 'wrong-method':
      return refusals.wrongMethod(request.method, path, match.allowed)
    case 'outside-base': {
      const base = request.path.slice(0, -path.length) + contract.basePath // behind `/_s/NAME`
      const right = match.isBaseMissing ? base + path : undefined
      if (right) {
        const message = `must begin with ${base}, the base URL's path: ${cutText(right, 200)}`
        exchange.advice = [...exchange.advice, { in: 'path', pointer: '', keyword: 'base-path', message }]
      }
      return refusals.outsideBase(base, request.path, right)
    }
    case 'malformed':
      return refusals.malformedPath(match.reason)
    case 'unknown-path':
      return refusals.unknownPath(path, knownPaths)
  }
}
