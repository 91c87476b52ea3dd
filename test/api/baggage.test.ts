import { describe, expect, test } from 'vitest'
import { analyticsPath, call, type RequestOptions } from '../support/client.ts'
import { callControl } from '../support/control.ts'
import { callRaw, requestText } from '../support/raw-http.ts'
import { sharedSimulator } from '../support/shared.ts'

/** A simulator with --strict: even then, invalid baggage does not cause a refusal. */
const sim = sharedSimulator({ strict: true })

/** Sends a request with a `baggage` header, and returns the status, the sandbox and the first piece of advice. */
async function callWith(baggage: string, { prefix = '', ...options }: RequestOptions & { prefix?: string } = {}) {
  const headers = { ...options.headers, baggage }
  const response = await call(sim(), `${prefix}${analyticsPath}`, { ...options, headers })
  const advice = response.headers.get('x-sim-advice')
  const [first] = advice === null ? [] : JSON.parse(advice).violations
  return { status: response.status, sandbox: response.headers.get('x-sim-sandbox'), advice: first }
}

describe('the baggage header', () => {
  test.each([
    ['as its only member', 'convsim.sandbox=worker-3'],
    ['among members of other tools', 'userId=alice,convsim.sandbox=worker-3,isProduction=false'],
    ['with whitespace wherever it is allowed', ' convsim.sandbox\t=  worker-3 , a=b'],
    ['with properties', 'convsim.sandbox=worker-3;ttl=1;secret , a=b;c'],
    ['percent-encoded', 'convsim.sandbox=%77orker%2D3'],
    ['among malformed members', 'nonsense,,=x,a=%zz,convsim.sandbox=worker-3'],
    ['twice, with the same name', 'convsim.sandbox=worker-3,convsim.sandbox=worker%2d3'],
    ['as the last of 64 members', `${'a=b,'.repeat(63)}convsim.sandbox=worker-3`],
  ])('names the sandbox: %s', async (_how, baggage) => {
    expect(await callWith(baggage)).toEqual({ status: 200, sandbox: 'worker-3', advice: undefined })
  })

  test('can be sent twice, with the sandbox in the second header', async () => {
    const text = requestText('GET', analyticsPath, ['Baggage: a=b', 'Baggage: convsim.sandbox=worker-3'])
    expect((await callRaw(sim().origin, text)).headers['x-sim-sandbox']).toBe('worker-3')
  })

  test.each([
    ['similar keys', 'sandbox=worker-3,CONVSIM.SANDBOX=worker-3,xconvsim=y'],
    ['the key within a value or a property', 'note=convsim.sandbox,a=b;convsim.sandbox=worker-3'],
  ])('selects no sandbox and causes no advice if it has no member for the simulator: %s', async (_how, baggage) => {
    expect(await callWith(baggage)).toEqual({ status: 200, sandbox: 'default', advice: undefined })
  })

  test.each([
    ['an invalid name', 'convsim.sandbox=a%203', /convsim\.sandbox=a 3, which does not name exactly one .* 1 to 64/],
    ['an empty value', 'convsim.sandbox=', /does not name exactly one sandbox/],
    ['a value that cannot be decoded', 'convsim.sandbox=%zz', /%zz, which does not name exactly one sandbox/],
    ['two names', 'convsim.sandbox=a,convsim.sandbox=b', /=a, b, which does not name exactly one sandbox/],
    ['a misspelled member', 'convsim.sandbx=a', /"convsim\.sandbx".*use convsim\.sandbox$/],
    ['65 members', `${'a=b,'.repeat(64)}convsim.sandbox=a`, /more than 8192 characters or 64 members/],
    ['8,193 characters', `convsim.sandbox=a,b=${'x'.repeat(8193 - 20)}`, /more than 8192 characters or 64/],
  ])('with %s is ignored, and the request gets advice instead of a refusal', async (_what, baggage, message) => {
    expect(await callWith(baggage)).toEqual({
      status: 200,
      sandbox: 'default',
      advice: { in: 'header', pointer: '/baggage', keyword: 'baggage', message: expect.stringMatching(message) },
    })
  })

  test('is overridden by X-Sim-Sandbox, the key or the path, without causing advice', async () => {
    const overrides = [{ headers: { 'x-sim-sandbox': 'b' } }, { token: 'k~b' }, { prefix: '/_s/b' }]
    for (const options of overrides)
      for (const baggage of ['convsim.sandbox=a', 'convsim.sandbox=no name'])
        expect(await callWith(baggage, options)).toEqual({ status: 200, sandbox: 'b', advice: undefined })
  })

  test('is named in the explanation as the source of the sandbox', async () => {
    const request = { method: 'GET', path: analyticsPath, headers: { authorization: 'Bearer k' } }
    const headers = { ...request.headers, Baggage: 'convsim.sandbox=a' }
    const { sandbox, why } = await callControl(sim(), 'POST', '/explain', { ...request, headers })
    expect(sandbox).toBe('a')
    expect(why).toContain('The baggage header names the sandbox "a".')
  })

  test('does not select a sandbox for control requests', async () => {
    const { body } = await call(sim(), '/__sim/coverage', { headers: { baggage: 'convsim.sandbox=a' } })
    expect(body).toMatchObject({ sandbox: 'default' })
  })
})
