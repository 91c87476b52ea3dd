import schema from '../../spec/export.schema.json' with { type: 'json' }
import { isObject } from '../base/core/json.ts'
import { once } from '../base/core/memoize.ts'
import { failure, type Result, success } from '../base/core/result.ts'
import { inSlices } from '../base/core/slices.ts'
import { loadSchema } from '../base/documents/load-schema.ts'
import type { PublishedSchema } from '../base/documents/schema.ts'
import { MAX_ERRORS } from '../base/documents/violations.ts'
import type { Collection } from './collections/collection.ts'
import { collections } from './collections/index.ts'
import { DEFAULT_QUALITY, EXPORT_FORMAT } from './records.ts'
import type { SandboxExport } from './store.ts'

export const exportSchema: PublishedSchema = { name: 'export', schema }

const loadCheck = once(() => loadSchema(exportSchema))

const moreErrors = `the export may have more errors: the check stops after ${MAX_ERRORS} errors`

const emptyExport = {
  format: EXPORT_FORMAT,
  quality: DEFAULT_QUALITY,
  ...Object.fromEntries(collections.map(({ name }) => [name, []])),
}

/**
 * Parses the export of a sandbox in slices, so that other requests are handled in between. Records that match the
 * schema are also checked against the rules of their collections. Most errors begin with a JSON Pointer, for example
 * `/events/3/impact must be a number; got null`. The result shares its records with the document.
 */
export async function parseExport(document: unknown): Promise<Result<SandboxExport, readonly string[]>> {
  const check = await loadCheck()
  const given: Readonly<Record<string, unknown>> = isObject(document) ? document : {}
  const listed = collections.filter(({ name }) => Array.isArray(given[name]))
  // The records are checked one by one below.
  const empty = Object.fromEntries(listed.map(({ name }) => [name, []]))
  const frame = isObject(document) ? { ...document, ...empty } : document
  const errors = check(frame).map(({ pointer, message }) => `${pointer || 'the export'} ${message}`)
  for (const collection of listed) {
    const { name } = collection
    const findErrors = createRuleCheck(collection)
    let index = 0
    for await (const record of inSlices(given[name] as object[])) {
      if (errors.length >= MAX_ERRORS) return failure([...errors, moreErrors])
      const start = `/${name}/${index++}`
      const schemaErrors = check({ ...emptyExport, [name]: [record] })
      errors.push(...schemaErrors.map(({ pointer, message }) => `${pointer.replace(`/${name}/0`, start)} ${message}`))
      if (schemaErrors.length === 0) errors.push(...findErrors(record).map((error) => start + error))
    }
  }
  if (errors.length > 0) return failure(errors)
  const lists = Object.fromEntries(listed.map(({ name }) => [name, given[name]]))
  return success({ ...emptyExport, quality: given['quality'], ...lists } as unknown as SandboxExport) // checked above
}

function createRuleCheck({ keyOf, otherKeys, findErrors }: Collection): (record: object) => readonly string[] {
  const earlier = new Set<string>()
  const reportedKinds = new Set<string>() // each kind of key is reported once, to leave room for other errors
  return (record) => {
    const errors = [...(findErrors?.(record) ?? [])]
    // IDs are UUIDs, which are case-insensitive.
    const keys = { ID: keyOf(record).toLowerCase(), ...otherKeys?.(record) }
    for (const [kind, key] of Object.entries(keys)) {
      if (key === undefined) continue
      const label = `${kind} ${key}`
      if (earlier.has(label) && !reportedKinds.has(kind)) {
        reportedKinds.add(kind)
        errors.push(` must not repeat the ${label} of an earlier record`)
      }
      earlier.add(label)
    }
    return errors
  }
}
