import { isObject } from '../../src/base/core/json.ts'
import { planProbes } from '../../src/features/drift/probe/plan-probes.ts'
import { inputs } from './catalogue.ts'
import type { OperationRequest } from './client.ts'

const { contract } = inputs
const { probes } = planProbes(contract, { ids: new Map(), canWrite: true, samples: 1, runId: 'test' })

/** A valid request to each operation, in document order, built from the first examples in the document. */
export const allOperations: readonly OperationRequest[] = contract.operations.map((operation) => {
  const probe = probes.find((candidate) => candidate.operation === operation)
  if (!probe) throw new Error(`the document has no examples for a request to ${operation.id}`)
  const body = operation.bodyExamples()[0]?.value
  return {
    id: operation.id,
    method: operation.method,
    path: contract.basePath + probe.target,
    body: isObject(body) ? body : undefined,
    success: operation.successStatus,
  }
})
