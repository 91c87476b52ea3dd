import { readFileSync } from 'node:fs'
import { parseDocument } from 'yaml'

/** The YAML and JSON files in `docs/examples/`. A YAML parser can read both formats. */
export const exampleFiles = [
  'compose.yaml',
  'github-actions.yml',
  'gitlab-ci.yml',
  'action/action.yml',
  'devcontainer.json',
  'replicas/compose.yaml',
] as const

export type ExampleFile = (typeof exampleFiles)[number]

/** Returns the path of the examples folder, or of a file in the folder. */
export const examplePath = (file = '') => new URL(`../../docs/examples/${file}`, import.meta.url).pathname

/** Reads an example. Throws if the parser reports an error or a warning. */
export function readExample(file: ExampleFile): unknown {
  const document = parseDocument(readFileSync(examplePath(file), 'utf8'), { strict: true })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) throw problem
  return document.toJS()
}

/** Returns every string in a value, at any depth, except for member names. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** Returns the values of all members with this name, at any depth. */
export function membersIn(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => [...(key === name ? [one] : []), ...membersIn(one, name)])
}
