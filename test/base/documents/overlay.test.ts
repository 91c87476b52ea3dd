import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Json } from '../../../src/base/core/json.ts'
import { applyOverlay } from '../../../src/base/documents/overlay.ts'
import { parseSource } from '../../../src/base/documents/parse.ts'
import { checkOverlay } from '../../../src/base/documents/read-overlay.ts'
import type { Findings, Source } from '../../../src/base/documents/source.ts'

const head = 'overlay: 1.1.0\ninfo: { title: Test, version: 1.0.0 }\nactions:\n'

const DOCUMENT = `colors:
  enum: [red, green, blue]
  required: [name]
name: Paint
people:
  - { id: a, size: 1 }
  - { id: b, size: 2 }
  - { id: c, size: 3 }
`

function sourceOf(text: string, file: string): Source {
  const source = parseSource(text, file)
  if (!source.ok) throw new Error(JSON.stringify(source.error))
  return source.value
}

/** Applies the actions of an overlay to a document. The actions start on line 4 of the overlay. */
async function apply(actions: string, document = sourceOf(DOCUMENT, 'doc.yaml'), top = head) {
  const overlay = await checkOverlay(sourceOf(top + actions, 'overlay.yaml'))
  return overlay.ok ? applyOverlay(document, overlay.value) : overlay
}

async function applyOrThrow(actions: string, document?: Source): Promise<Source> {
  const result = await apply(actions, document)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}

const changeDocument = async (actions: string, document: Json) =>
  (await applyOrThrow(actions, sourceOf(JSON.stringify(document), 'doc.json'))).value

async function findingsOf(actions: string, top = head): Promise<string[]> {
  const result = await apply(actions, undefined, top)
  const findings: Findings = result.ok ? [] : result.error
  return findings.map(({ severity, place, message }) => `${place} ${severity} ${message}`)
}

test.each<[string, Json, string, string, Json]>([
  ['adds members to an object', { a: { b: 1 } }, '$.a', '{ c: 2 }', { a: { b: 1, c: 2 } }],
  ['merges objects at any depth', { a: { b: { c: 1 } } }, '$', '{ a: { b: { d: 2 } } }', { a: { b: { c: 1, d: 2 } } }],
  ['replaces a string in an object', { a: 'x' }, '$', '{ a: y }', { a: 'y' }],
  ['replaces a string that is the target', { a: 'x' }, '$.a', 'y', { a: 'y' }],
  ['replaces an item of a list of strings', ['x', 'y'], "$[?@ == 'y']", 'z', ['x', 'z']],
  ['appends an object to a list', { a: [{ b: 1 }] }, '$.a', '{ b: 2 }', { a: [{ b: 1 }, { b: 2 }] }],
  ['appends the items of a list to a list', { a: [1] }, '$.a', '[2, 3]', { a: [1, 2, 3] }],
  ['appends items to a list within an object', { a: [1] }, '$', '{ a: [2] }', { a: [1, 2] }],
  ['changes every matched value', { a: { b: 1 }, c: { b: 2 } }, '$.*', '{ b: 3 }', { a: { b: 3 }, c: { b: 3 } }],
  ['of a value that is selected twice is applied once', { a: [] }, "$['a','a']", '[1]', { a: [1] }],
])('an update %s', async (_sentence, document, target, update, expected) => {
  expect(await changeDocument(`  - { target: "${target}", update: ${update} }\n`, document)).toEqual(expected)
})

test.each<[string, Json, string, Json]>([
  ['a member', { a: 1, b: 2 }, '$.a', { b: 2 }],
  ['items of a list of strings by their value', ['x', 'y', 'x', 'z'], "$[?@ == 'x']", ['y', 'z']],
  ['items of a list of objects by a member', [{ id: 'a' }, { id: 'b' }], "$[?@.id == 'a']", [{ id: 'b' }]],
  ['a value together with a value within it', { a: { b: { c: 1 } } }, '$..*', {}],
  ['ten items', [...Array(12).keys()], '$[1:11]', [0, 11]],
])('remove deletes %s', async (_sentence, document, target, expected) => {
  expect(await changeDocument(`  - { target: "${target}", remove: true }\n`, document)).toEqual(expected)
})

test('copy uses a value from the document as the update', async () => {
  const actions = '  - { target: $, update: { b: {} } }\n  - { target: $.b, copy: $.a }\n'
  expect(await changeDocument(actions, { a: { x: [1] } })).toEqual({ a: { x: [1] }, b: { x: [1] } })
})

test('the original document stays unchanged', async () => {
  const document = sourceOf(DOCUMENT, 'doc.yaml')
  const removal = '  - { target: "$.people[0]", remove: true }\n'
  const result = await applyOrThrow(`  - { target: $.colors, update: { enum: [pink] } }\n${removal}`, document)
  expect(document.value).toEqual(parse(DOCUMENT))
  expect(result.value).toMatchObject({ colors: { enum: ['red', 'green', 'blue', 'pink'] } })
})

test('each action sees the effects of earlier actions', async () => {
  const actions = '  - { target: $.a, remove: true }\n  - { target: $, update: { a: [2] } }\n'
  expect(await changeDocument(actions, { a: 1 })).toEqual({ a: [2] })
})

describe('the location', () => {
  const update = '  - target: $.colors\n    update:\n      enum: [pink]\n      extra: { deep: 1 }\n'
  const removal = '  - target: "$.people[0]"\n    remove: true\n  - target: $.name\n    remove: true\n'

  test.each([
    ['an item of the document', update, '/colors/enum/1', 'doc.yaml:2:15'],
    ['a member of the document', update, '/people/1/size', 'doc.yaml:7:14'],
    ['a member next to an added member', update, '/colors/required', 'doc.yaml:3:3'],
    ['an item that the overlay appended', update, '/colors/enum/3', 'overlay.yaml:6:14'],
    ['a member that the overlay added', update, '/colors/extra/deep', 'overlay.yaml:7:16'],
    ['a string that the overlay replaced', '  - target: $.name\n    update: Oil\n', '/name', 'overlay.yaml:5:5'],
    ['a member that the overlay removed', removal, '/name', 'overlay.yaml:7:5'],
    ['the item after a removed item', removal, '/people/0/id', 'doc.yaml:7:7'],
    ['the second item after a removed item', removal, '/people/1/id', 'doc.yaml:8:7'],
  ])('of %s is in the file that last set or removed it', async (_name, actions, pointer, place) => {
    expect((await applyOrThrow(actions)).locate(pointer)).toBe(place)
  })

  test('is in the overlay that added the value, if there are several overlays', async () => {
    const first = await applyOrThrow('  - { target: $, update: { x: 1 } }\n')
    const second = await applyOrThrow('  - { target: $.people, update: { id: d } }\n', first)
    expect(second.locate('/x')).toBe('overlay.yaml:4:28')
    expect(second.locate('/people/3/id')).toBe('overlay.yaml:4:35')
    expect(second.locate('/people/2/id')).toBe('doc.yaml:8:7')
  })
})

describe('an overlay is refused, with the location of the problem, if it has', () => {
  test.each([
    ['a target that matches nothing', '$.nobody, remove: true', '4:7 matches nothing in the document: $.nobody'],
    ['an invalid JSONPath', "'$.people[', remove: true", '4:7 is not a JSONPath (RFC 9535)'],
    ['a name that needs brackets', '$.x-name, remove: true', '4:7 is not a JSONPath (RFC 9535); a name such as x-name'],
    ['an action that does nothing', '$.name', '4:7 does nothing: add "update", "copy" or "remove: true"'],
    ['an action with both update and copy', '$.name, update: 1, copy: $.name', '4:34 cannot be combined with "update"'],
    ['a copy of several values', '$.name, copy: $.people.*', '4:23 must match exactly one value; $.people.* matches 3'],
    ['a removal of the whole document', '$, remove: true', '4:7 matches the whole document, which cannot be removed'],
    [
      'an update of a string with a list',
      '$, update: { name: [a] }',
      '4:28 cannot be merged: /name is a single value, but the update is a list',
    ],
    [
      'an update of an object with a string',
      '$, update: { colors: red }',
      '4:28 cannot be merged: /colors is an object, but the update is a single value',
    ],
    [
      'a target that matches values of several kinds',
      '$.*, update: { a: 1 }',
      '4:7 matches an object, a single value and a list',
    ],
    [
      'an unknown member',
      '$.name, updates: 1',
      '4:23 is not valid in an overlay: /actions/0/updates is not allowed here; did you mean "update"?',
    ],
  ])('%s', async (_name, action, finding) => {
    const findings = await findingsOf(`  - { target: ${action} }\n`)
    expect(findings).toHaveLength(1)
    expect(findings[0]).toContain(`overlay.yaml:${finding.replace(' ', ' error ')}`)
  })

  test('an action without a target', async () => {
    expect(await findingsOf('  - { update: 1 }\n')).toEqual([
      expect.stringMatching(/^overlay\.yaml:4:5 error is not valid in an overlay: \/actions\/0\/target is required/),
    ])
  })

  test('an unsupported version or no "overlay" member', async () => {
    const action = '  - { target: $.name, remove: true }\n'
    expect(await findingsOf(action, head.replace('1.1.0', '2.0.0'))).toEqual([
      'overlay.yaml:1:1 error has an unsupported version: use 1.0.0 or 1.1.0',
    ])
    expect(await findingsOf(action, head.replace('overlay', 'openapi'))).toEqual([
      'overlay.yaml:1:1 error is not an OpenAPI Overlay: expected "overlay: 1.1.0" at the top',
    ])
  })

  test('actions that make the document too large', { tags: ['long'] }, async () => {
    const doubling = '  - { target: $.people, copy: $.people }\n'.repeat(20)
    const finding = expect.stringMatching(/^overlay\.yaml:\d+:5 error results in a document that is too large/)
    expect(await findingsOf(doubling)).toEqual([finding])
  })
})
