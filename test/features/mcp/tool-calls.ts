import type { JsonObject } from '../../../src/base/core/json.ts'

const none = { operation: 'createEvent', count: { exactly: 0 } }
const create = { action: 'create', sandbox: 'a', seed: '3' }
const advance = { action: 'advance', by: '1h' }
const ruleOf = (scenario: string) => ({ rules: [{ scenario, times: 1 }] })

/** Each row has a tool, valid arguments, a pattern for the result, invalid arguments, and a pattern for the refusal. */
export const toolCalls: readonly (readonly [string, JsonObject, RegExp, JsonObject, RegExp])[] = [
  ['find_requests', {}, /"call":"GET \/v1\/nowhere"/, { statsu: '429' }, /argument "statsu". Did you mean "status"/],
  ['find_requests', { status: '5xx' }, /No requests match/, { operation: 'createEvnt' }, /createEvent/],
  ['explain_request', { method: 'GET', path: '/v1/x' }, /"status":404/, {}, /find_requests lists the IDs/],
  ['explain_request', { id: 'req-1' }, /"stage":"identify"/, { id: 'req-0' }, /find_requests lists the IDs/],
  ['verify_requests', none, /"satisfied":true/, { count: {} }, /count(?!.*list_scenarios)/],
  ['set_scenarios', ruleOf('slow'), /"total":1/, ruleOf('slwo'), /slow/],
  ['set_scenarios', { rules: [] }, /"total":0/, {}, /rules/],
  ['list_scenarios', { operation: 'createEvent' }, /"name":"rate-limited"/, { operation: 'x' }, /Known: getModel/],
  ['list_scenarios', { cursor: 20 }, /"scenarios"/, { cursor: -1 }, /must be the "next" value of the previous/],
  ['control_sandbox', create, /"seed":"3".*\/_s\/a\/v1/, { action: 'x' }, /reset/],
  ['control_sandbox', advance, /"now":"2026-01-15T13/, { action: 'restore' }, /needs "snapshotId"/],
  ['control_sandbox', { action: 'snapshot', name: 'b' }, /snapshotId/, { action: 'clock', mode: 'fast' }, /frozen/],
  ['coverage_gaps', {}, /"X-Sim-Scenario":"rate-limited"/, { operation: 'x' }, /Known: getModel/],
  ['run_summary', { sandbox: '*' }, /"verdict":"failed"/, { failOn: 'x' }, /violation(?!.*Omit "sandbox")/],
  [
    'control_sandbox',
    { ...advance, mode: '' },
    /"now"/,
    { ...advance, mode: 'real' },
    /accepts "by", "sandbox"; got "mode"/,
  ],
  ['explain_request', { id: 'req-1', sandbox: '*' }, /"stage"/, { id: 'req-1', path: '/v1/x' }, /combined with "path"/],
  ['run_summary', {}, /verdict/, { sandbox: 'unused' }, /Omit "sandbox"/],
]
