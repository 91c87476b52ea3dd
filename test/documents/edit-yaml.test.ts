import { expect, test } from 'vitest'
import { applyEdits, type Edit } from '../../src/documents/edit.ts'
import { editYaml as edit } from '../../src/documents/edit-yaml.ts'
import { parseSource } from '../../src/documents/parse.ts'

/** Makes changes in a text, and returns it with the layout of all other places. */
function editYaml(text: string, edits: readonly Edit[]): string {
  const edited = edit(text, edits)
  if (!edited?.keepsLayout) throw new Error('the layout is lost')
  return edited.text
}

const yaml = `# A document with comments.
paths:
  /models: # the models
    get:
      # what it answers
      responses:
        '200': { description: Fine. }
components:
  schemas:
    Level:
      type: string
      enum: [low, high] # so far
      description: >-
        A text
        of two lines.
    Model:
      type: object
      required:
        - id
        # the name, too
        - name
      properties:
        id: { $ref: '#/components/schemas/Level' }
        name:
          type: string
`

const readValue = (text: string) => {
  const parsed = parseSource(text, 'a.yaml')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error))
  return parsed.value.value
}

const schemas = '/components/schemas'
const edits: Record<string, Edit> = {
  'appends to a list in one line': { kind: 'append', pointer: `${schemas}/Level/enum`, value: 'extreme' },
  'appends to a list of lines': { kind: 'append', pointer: `${schemas}/Model/required`, value: 'owner' },
  'removes the last item of a list in one line': {
    kind: 'remove-item',
    pointer: `${schemas}/Level/enum`,
    value: 'high',
  },
  'removes the first item of a list in one line': {
    kind: 'remove-item',
    pointer: `${schemas}/Level/enum`,
    value: 'low',
  },
  'removes an item of a list of lines': {
    kind: 'remove-item',
    pointer: `${schemas}/Model/required`,
    value: 'name',
  },
  'sets a member that is there': { kind: 'set', pointer: `${schemas}/Level/type`, value: ['string', 'null'] },
  'sets a member in one line': {
    kind: 'set',
    pointer: `${schemas}/Model/properties/id`,
    value: { type: 'string' },
  },
  'adds a member to one line': {
    kind: 'set',
    pointer: `${schemas}/Model/properties/id/deprecated`,
    value: true,
  },
  'adds a member behind the last one': {
    kind: 'set',
    pointer: `${schemas}/Model/properties/on`,
    value: { type: 'object' },
  },
  'adds a member behind a text of several lines': {
    kind: 'set',
    pointer: `${schemas}/Level/deprecated`,
    value: true,
  },
  'replaces a text of several lines': {
    kind: 'set',
    pointer: `${schemas}/Level/description`,
    value: 'One: line',
  },
  'replaces a list of lines': { kind: 'set', pointer: `${schemas}/Model/required`, value: ['id'] },
  'removes a member': { kind: 'remove', pointer: `${schemas}/Level/enum` },
  'adds a status, whose name looks like a number': {
    kind: 'set',
    pointer: '/paths/~1models/get/responses/418',
    value: { description: 'Tea.' },
  },
}

test.each(Object.entries(edits))('an edit %s, and changes no other line', (_, one) => {
  const edited = editYaml(yaml, [one])
  expect(readValue(edited)).toEqual(applyEdits(readValue(yaml), [one]))
  const kept = new Set(edited.split('\n'))
  const lost = yaml.split('\n').filter((line) => !kept.has(line))
  // A value of several lines is replaced with all of them.
  const isLong = one.kind === 'set' && /\/(required|description)$/.test(one.pointer)
  expect(lost.length).toBeLessThanOrEqual(isLong ? 3 : 1)
  expect(edited).toContain('# the models')
})

test('edits follow one another, also in JSON', () => {
  const json = JSON.stringify({ a: { list: ['x'] }, b: {} }, null, 2)
  const all: Edit[] = [
    { kind: 'append', pointer: '/a/list', value: 'y' },
    { kind: 'set', pointer: '/b/c', value: { d: null } },
    { kind: 'remove-item', pointer: '/a/list', value: 'x' },
  ]
  const edited = editYaml(json, all)
  expect(JSON.parse(edited)).toEqual({ a: { list: ['y'] }, b: { c: { d: null } } })
})

test('a place behind an alias gets a value of its own, and other aliases keep theirs', () => {
  const text = '# kept\na: &one\n  x: 1 # first\nb: *one\nc:\n  d: *one\n'
  const replaced = editYaml(text, [{ kind: 'set', pointer: '/b', value: { y: 2 } }])
  expect(replaced).toBe(text.replace('b: *one', 'b: { y: 2 }'))
  const behind = editYaml(text, [{ kind: 'set', pointer: '/c/d/y', value: 2 }])
  expect(behind).toBe(text.replace('d: *one', 'd: { x: 1, y: 2 }'))
  const anchor = editYaml(text, [{ kind: 'set', pointer: '/a/x', value: 2 }])
  expect(readValue(anchor)).toEqual({ a: { x: 2 }, b: { x: 1 }, c: { d: { x: 1 } } })
  expect(anchor).toContain('# kept')
  const gone = editYaml(text, [{ kind: 'remove', pointer: '/a' }])
  expect(readValue(gone)).toEqual({ b: { x: 1 }, c: { d: { x: 1 } } })
})

test.each(['a\nb', 'a\u2028b', 'a\u0085b', 'a: #b', "it's"])(
  'a name and a value like %j keep the layout',
  (name) => {
    const at = [
      { kind: 'set', pointer: `${schemas}/Model/properties/${name}`, value: { [name]: name } },
    ] as const
    const edited = editYaml(yaml, at)
    expect(readValue(edited)).toEqual(applyEdits(readValue(yaml), at))
    expect(edited.replace(/\n.*\n$/, '')).toBe(yaml.trimEnd())
  },
)

test('line breaks stay those of the file', () => {
  const crlf = yaml.replaceAll('\n', '\r\n')
  for (const one of Object.values(edits))
    expect(editYaml(crlf, [one])).toBe(editYaml(yaml, [one]).replaceAll('\n', '\r\n'))
})

test('a change without a place in the layout says so, and one that cannot be made gives no text', () => {
  const text = 'a:\n  x: 1 # one\nb: 2\n'
  expect(edit(text, [{ kind: 'remove', pointer: '/a/x' }])).toEqual({
    text: 'a: {}\nb: 2\n',
    keepsLayout: false,
  })
  expect(edit('a: [', [{ kind: 'remove', pointer: '/a' }])).toBeUndefined()
})
