import { readFileSync } from 'node:fs'
import { parseDocument } from 'yaml'

/** The files of `docs/examples/` in YAML, or in JSON, which is also YAML. */
export const exampleFiles = [
  'compose.yaml',
  'github-actions.yml',
  'gitlab-ci.yml',
  'action/action.yml',
  'devcontainer.json',
  'replicas/compose.yaml',
] as const

export type ExampleFile = (typeof exampleFiles)[number]

/** Returns the folder of the examples, or a file in it. */
export const examplePath = (file = '') => new URL(`../../docs/examples/${file}`, import.meta.url).pathname

/** Reads an example. Throws on any error or warning of the parser. */
export function readExample(file: ExampleFile): unknown {
  const document = parseDocument(readFileSync(examplePath(file), 'utf8'), { strict: true })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) throw problem
  return document.toJS()
}

/** Returns every string in a value, except its keys. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Returns every member with this name at any depth. */
export function membersIn(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => [...(key === name ? [one] : []), ...membersIn(one, name)])
}
