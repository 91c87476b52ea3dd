import { expect, test } from 'vitest'
import { appendYaml, parseSource } from '../../../src/base/documents/parse.ts'
import type { Source } from '../../../src/base/documents/source.ts'

function parse(text: string): Source {
  const source = parseSource(text, 'file.yaml')
  if (!source.ok) throw new Error(JSON.stringify(source.error))
  return source.value
}

test.each([
  ['', '1:1'],
  ['/a', '1:1'],
  ['/list', '2:1'],
  ['/list/0', '3:5'],
  ['/list/1', '4:10'],
  ['/list/1/deep', '4:12'],
  ['/a~1b/~0', '5:10'],
  ['/200', '6:1'],
  ['/copy/deep', '4:12'],
  ['/list/1/missing/more', '4:10'],
  ['/nowhere', '1:1'],
])('the location for the pointer "%s" is %s', (pointer, place) => {
  const source = parse("a: 1\nlist:\n  - x\n  - &one { deep: true }\n'a/b': { '~': 1 }\n200: x\ncopy: *one\n")
  expect(source.locate(pointer)).toBe(`file.yaml:${place}`)
})

test('JSON is parsed too, and its values have locations', () => {
  const source = parse('{\n  "a": [1,\n\t{"b": null}]\n}')
  expect(source.value).toEqual({ a: [1, { b: null }] })
  expect(source.locate('/a/1/b')).toBe('file.yaml:3:3')
})

test('dates and words such as "yes" are parsed as strings, and 010 as the number 10', () => {
  const { value } = parse('{ date: 2026-01-15, yes: yes, no: ~, octal: 010, n: 1.50 }')
  expect(value).toEqual({ date: '2026-01-15', yes: 'yes', no: null, octal: 10, n: 1.5 })
})

test('a name that all objects inherit is an ordinary key', () => {
  const { value } = parse('{ "toString": { "a": 1 }, "constructor": 2 }')
  expect(JSON.stringify(value)).toBe('{"toString":{"a":1},"constructor":2}')
})

test.each([
  ['a: 1\na: 2\n', '2:1', 'is a duplicate key'],
  ['a: [1\nb: 2\n', '2:1', 'Flow sequence'],
  ['{"a": 1,,}', '1:9', ''],
  ['a: 1\n---\nb: 2\n', '2:1', 'starts a second document; a file can contain only one'],
  ['a: *nothing\n', '1:1', 'cannot be read: Unresolved alias (the anchor must be set before the alias): nothing'],
  ['a: &a 1\nb: { <<: *a }\n', '1:1', 'cannot be read: Merge sources must be maps or map aliases'],
  ['', '1:1', 'is empty'],
  ['# only a comment\n', '1:1', 'is empty'],
  ['a:\n  - { "__proto__": { "b": 1 } }\n', '2:7', '"__proto__" is not allowed as a member name'],
  ['a: [1, -.inf]\n', '1:8', 'must be a finite number'],
  ['a: &a .nan\nb: *a\n', '1:1', 'must be a finite number'],
  ['a: &a\n  b: [*a]\n', '2:7', 'contains itself through an alias'],
  [`${'['.repeat(201)}${']'.repeat(201)}`, '1:201', 'nested deeper than 200 levels'],
  [`${'['.repeat(20_000)}${']'.repeat(20_000)}`, '1:', 'nested deeper than 200 levels'],
  ['['.repeat(30_000), '1:', 'nested deeper than 200 levels'],
])('the text %j causes a finding at %s', (text, place, message) => {
  const source = parseSource(text, 'file.yaml')
  const [finding] = source.ok ? [] : source.error
  const hasColumn = !place.endsWith(':')
  expect(finding?.place).toMatch(new RegExp(`^file\\.yaml:${place}${hasColumn ? '$' : ''}`))
  expect(finding?.message).toContain(message)
})

test.each([
  ['{\n  "rules": [', '2:13', 'is not JSON: it ends here, where a value or "]" is expected'],
  ['{\n  "a": 1,,\n}', '2:10', 'is not JSON: it has "," here, where a name in double quotes is expected'],
  ['{"a": 1}\n{"b": 1}', '2:1', 'is not JSON: it has "{" here, where nothing more is expected'],
])('in a JSON file, the text %j causes a finding at %s about JSON syntax', (text, place, message) => {
  const finding = { severity: 'error', place: `file.json:${place}`, message }
  expect(parseSource(text, 'file.json')).toEqual({ ok: false, error: [finding] })
})

test('aliases that expand exponentially are refused', () => {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
  for (let level = 1; level < 10; level += 1) {
    lines.push(`a${level}: &a${level} [${new Array(10).fill(`*a${level - 1}`).join(', ')}]`)
  }
  const message = expect.stringMatching(/^is too large: .* counting every use of an alias$/)
  expect(parseSource(lines.join('\n'), 'file.yaml')).toMatchObject({ ok: false, error: [{ message }] })
})

test('an alias can be used thousands of times, and each use gets its own copy of the value', () => {
  const { value } = parse(`a: &a { b: { c: 1 } }\nlist: [${new Array(5000).fill('*a').join(', ')}]\n`)
  const { list } = value as { list: { b: object }[] }
  expect(list).toHaveLength(5000)
  expect(list[0]?.b).toEqual({ c: 1 })
  expect(list[0]?.b).not.toBe(list[1]?.b)
})

test('a merge key adds the aliased members that the object itself lacks, but a quoted "<<" is an ordinary key', () => {
  const { value } = parse('a: &a { x: 1, y: 1 }\nb: &b { z: 3 }\nc: { <<: [*a, *b], y: 2 }\nd: { "<<": 1 }\n')
  expect(value).toMatchObject({ c: { x: 1, y: 2, z: 3 }, d: { '<<': 1 } })
})

test('items can be appended to a list in flow or block style, and comments are preserved', () => {
  const item = { a: 'x: y', b: 1 }
  expect(appendYaml('# About.\n- { c: 1 } # one\n', [item])).toBe('# About.\n- { c: 1 } # one\n- { a: "x: y", b: 1 }\n')
  for (const list of ['[]', '[ {"c": 1} ]\n', '  - c: 1', '- c: 1\n\n# End.'])
    expect(parse(appendYaml(list, [item])).value).toEqual([...Object.values(parse(list).value ?? []), item])
})
