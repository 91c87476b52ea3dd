import { expect, test } from 'vitest'
import { Callers, createRedaction } from '../../src/bundles/callers.ts'
import { readBearer } from '../../src/pipeline/bearer.ts'

test('each key has a name, and the same key the same one', () => {
  const callers = new Callers(['key_free'])
  const names = {
    'Bearer a': 'Bearer bundle-caller-1',
    'bearer b~w1': 'bearer bundle-caller-2~w1',
    'Bearer a~w2': 'Bearer bundle-caller-1~w2',
    'Bearer key_free': 'Bearer key_free',
    'Basic a': 'Basic bundle-caller-1',
    a: 'bundle-caller-1',
    'Secret b': 'Unknown bundle-caller-3',
    ' ': '',
  }
  for (const [header, name] of Object.entries(names)) expect(callers.rename(header)).toBe(name)
})

test('a header with a name is read as the header with the key is', () => {
  const bearers = ['Bearer a', 'Bearer', 'Bearer ~', 'Bearer ~w', 'Bearer a~b~w', 'Bearer a~ b']
  for (const header of [...bearers, 'Digest x', 'x', 'x y', '']) {
    const [read, renamed] = [header, new Callers([]).rename(header)].map(readBearer)
    if (!read?.ok) expect(renamed).toEqual(read)
    else expect(renamed).toMatchObject({ ok: true, sandbox: read.sandbox === ' b' ? '!' : read.sandbox })
  }
})

test.each([
  ['as it is', 'a+b/c=d~e'],
  ['in a URL', '/v1/things?cursor=a%2Bb%2Fc%3Dd~e'],
  ['in a JSON pointer', '/body/a+b~1c=d~0e'],
])('a key is redacted %s', (_, text) => {
  const callers = new Callers([])
  callers.nameOf('a+b/c=d~e')
  expect(createRedaction(callers)({ note: text })).toEqual({ note: text.replace(/a.*e$/, '[redacted]') })
})

test.each(['k\u00e9"y/of-a-caller', 'k\\u00e9\\"y/of-a-caller', 'k\u00e9"y~1of-a-caller'])(
  'a key is redacted in the form %s',
  (text) => {
    const callers = new Callers([])
    callers.nameOf('k\u00e9"y/of-a-caller')
    expect(createRedaction(callers)({ note: text })).toEqual({ note: '[redacted]' })
  },
)
