import { describe, expect, test } from 'vitest'
import { analyticsPath, ask, type RequestOptions } from '../support/client.ts'
import { steer } from '../support/control.ts'
import { askRaw, requestText } from '../support/raw-http.ts'
import { sharedSimulator } from '../support/shared.ts'

/** Baggage is never a violation, not even with --strict. */
const sim = sharedSimulator({ strict: true })

/** Sends a request with this `baggage`, and returns its sandbox and its advice. */
async function askWith(baggage: string, { prefix = '', ...how }: RequestOptions & { prefix?: string } = {}) {
  const headers = { ...how.headers, baggage }
  const response = await ask(sim(), `${prefix}${analyticsPath}`, { ...how, headers })
  const advice = response.headers.get('x-sim-advice')
  const [first] = advice === null ? [] : JSON.parse(advice).violations
  return { status: response.status, sandbox: response.headers.get('x-sim-sandbox'), advice: first }
}

describe('the header baggage', () => {
  test.each([
    ['alone', 'convsim.sandbox=worker-3'],
    ['among members of other tools', 'userId=alice,convsim.sandbox=worker-3,isProduction=false'],
    ['with white space wherever it is allowed', ' convsim.sandbox\t=  worker-3 , a=b'],
    ['with properties', 'convsim.sandbox=worker-3;ttl=1;secret , a=b;c'],
    ['percent-encoded', 'convsim.sandbox=%77orker%2D3'],
    ['beside members that are not well-formed', 'nonsense,,=x,a=%zz,convsim.sandbox=worker-3'],
    ['twice with the same name', 'convsim.sandbox=worker-3,convsim.sandbox=worker%2d3'],
    ['as the last of 64 members', `${'a=b,'.repeat(63)}convsim.sandbox=worker-3`],
  ])('names the sandbox: %s', async (_how, baggage) => {
    expect(await askWith(baggage)).toEqual({ status: 200, sandbox: 'worker-3', advice: undefined })
  })

  test('names the sandbox in the second of two headers', async () => {
    const text = requestText('GET', analyticsPath, ['Baggage: a=b', 'Baggage: convsim.sandbox=worker-3'])
    expect((await askRaw(sim().origin, text)).headers['x-sim-sandbox']).toBe('worker-3')
  })

  test.each([
    ['with another key', 'sandbox=worker-3,CONVSIM.SANDBOX=worker-3,xconvsim=y'],
    ['in a value or a property of another key', 'note=convsim.sandbox,a=b;convsim.sandbox=worker-3'],
  ])('of other tools selects no sandbox and gets no advice: %s', async (_how, baggage) => {
    expect(await askWith(baggage)).toEqual({ status: 200, sandbox: 'default', advice: undefined })
  })

  test.each([
    ['no name', 'convsim.sandbox=worker%203', /convsim\.sandbox=worker 3, which does not name one sandbox.* 1 to 64/],
    ['nothing', 'convsim.sandbox=', /does not name one sandbox/],
    ['a value that cannot be decoded', 'convsim.sandbox=%zz', /%zz, which does not name one sandbox/],
    ['two names', 'convsim.sandbox=a,convsim.sandbox=b', /=a, b, which does not name one sandbox/],
    ['a misspelt member', 'convsim.sandbx=a', /"convsim\.sandbx".*known: convsim\.sandbox$/],
    ['65 members', `${'a=b,'.repeat(64)}convsim.sandbox=a`, /more than 8192 characters or 64 members/],
    ['8,193 characters', `convsim.sandbox=a,b=${'x'.repeat(8193 - 20)}`, /more than 8192 characters or 64/],
  ])('is ignored with advice, and not refused: %s', async (_what, baggage, message) => {
    expect(await askWith(baggage)).toEqual({
      status: 200,
      sandbox: 'default',
      advice: { in: 'header', pointer: '/baggage', keyword: 'baggage', message: expect.stringMatching(message) },
    })
  })

  test('has lower priority than header, key and path, and may differ from them', async () => {
    const others = [{ headers: { 'x-sim-sandbox': 'b' } }, { token: 'k~b' }, { prefix: '/_s/b' }]
    for (const how of others)
      for (const baggage of ['convsim.sandbox=a', 'convsim.sandbox=no name'])
        expect(await askWith(baggage, how)).toEqual({ status: 200, sandbox: 'b', advice: undefined })
  })

  test('is named in the explanation as the source of the sandbox', async () => {
    const request = { method: 'GET', path: analyticsPath, headers: { authorization: 'Bearer k' } }
    const headers = { ...request.headers, Baggage: 'convsim.sandbox=a' }
    const { sandbox, why } = await steer(sim(), 'POST', '/explain', { ...request, headers })
    expect(sandbox).toBe('a')
    expect(why).toContain('The header baggage names the sandbox "a".')
  })

  test('does not select a sandbox for the control plane, so a reset cannot affect another one', async () => {
    const { body } = await ask(sim(), '/__sim/coverage', { headers: { baggage: 'convsim.sandbox=a' } })
    expect(body).toMatchObject({ sandbox: 'default' })
  })
})
