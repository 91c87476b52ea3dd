import type { Contract } from '../contract/contract.ts'
import type { Violation } from '../documents/violation.ts'
import { type Exchange, type Reply, type Stage, switchSandbox } from '../exchange/exchange.ts'
import { refusals } from '../exchange/refusals.ts'
import { isSandboxName, type Sandboxes, sandboxNameRule } from '../sandboxes/sandboxes.ts'

/**
 * Which sandbox, which operation. A path that matches nothing is a 404, a method that does not a 405. A request that broke
 * off goes no further: the service would never have seen it, so that it takes no step of a sequence and no rate.
 */
export function identify(contract: Contract, sandboxes: Pick<Sandboxes, 'use'>): Stage {
  const known = contract.operations.map((operation) => contract.basePath + operation.path)
  return function identify(exchange) {
    const { request } = exchange
    const [, prefixed, behind] = /^\/_s\/([^/]*)(\/.*)$/.exec(request.path) ?? []
    exchange.path = behind ?? request.path
    const problem = nameSandbox(exchange, sandboxes, prefixed)
    if (problem) return problem
    const mismatch = matchOperation(exchange, contract, known)
    if (mismatch) return mismatch
    return request.body.kind === 'broken-off' ? refusals.brokenOff() : undefined
  }
}

const keyTrap = `What stands behind the last "~" of the key names a sandbox, and cannot: a name is ${sandboxNameRule}. Has the key itself a tilde? Then add one of your own behind it: key~default.`

function nameSandbox(
  exchange: Exchange,
  sandboxes: Pick<Sandboxes, 'use'>,
  prefixed: string | undefined,
): Reply | undefined {
  const { headers } = exchange.request
  const ofKey = exchange.bearer.ok ? exchange.bearer.sandbox : undefined
  // What stands behind a tilde may be a part of somebody's key after all: it is not repeated.
  if (ofKey !== undefined && !isSandboxName(ofKey)) return refusals.control(keyTrap)
  const named = [headers['x-sim-sandbox'], ofKey, prefixed].filter((name) => name !== undefined)
  const [name] = named
  if (name === undefined) return undefined
  if (named.some((other) => other !== name))
    return refusals.control(`The request names more than one sandbox: ${[...new Set(named)].join(', ')}.`)
  if (!isSandboxName(name))
    return refusals.control(`"${name.slice(0, 80)}" cannot name a sandbox: ${sandboxNameRule}.`)
  switchSandbox(exchange, sandboxes.use(name))
  return undefined
}

function matchOperation(exchange: Exchange, contract: Contract, known: readonly string[]): Reply | undefined {
  const { path, request } = exchange
  const match = contract.match(request.method, path)
  switch (match.kind) {
    case 'operation':
      exchange.operation = match.operation
      exchange.pathParameters = match.path
      return undefined
    case 'wrong-method':
      return refusals.wrongMethod(request.method, path, match.allowed)
    case 'outside-base':
      if (match.isBaseMissing) exchange.advice = [outsideBase(contract.basePath, path)]
      return refusals.outsideBase(contract.basePath, path, match.isBaseMissing)
    case 'malformed':
      return refusals.malformedPath(match.reason)
    case 'unknown-path':
      return refusals.unknownPath(path, known)
  }
}

const outsideBase = (base: string, path: string): Violation => ({
  in: 'path',
  pointer: '',
  keyword: 'base-path',
  message: `must begin with ${base}, the base URL's path: ${base}${path}`.slice(0, 300),
})
