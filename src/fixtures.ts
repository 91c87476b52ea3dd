import { join } from 'node:path'
import type { Finding, Loaded } from './contract/contract.ts'
import type { Json, JsonObject } from './core/json.ts'
import { below } from './core/json-pointer.ts'
import { type Prepared, prepared } from './documents/precompiled.ts'
import { readSource, type Source } from './documents/source.ts'
import { type Fault, personaFaults, phraseFaults } from './simulation/check.ts'
import type { KnownModel, Persona } from './simulation/persona.ts'
import type { Phrases } from './simulation/phrases.ts'

/** A bearer token that always leads to one outcome. */
export interface Key {
  readonly token: string
  readonly about: string
  /** Its plan; without one that of `--plan`. */
  readonly plan?: string
  /** A scenario that every request with this token meets. */
  readonly scenario?: string
}

export interface Plan {
  readonly name: string
  readonly about: string
  /** Whether it includes analytics. */
  readonly analytics: boolean
  /** Null: unlimited. */
  readonly maxAnalysesPerHour: number | null
}

interface Product {
  /** UUID. */
  readonly id: string
  readonly name: string
  readonly about: string
  /** Ids of the known models that it is made of, which its events move. */
  readonly models: readonly string[]
}

/** The fixtures folder: one file each, in the files' order. */
export interface Fixtures {
  readonly keys: readonly Key[]
  readonly plans: readonly Plan[]
  readonly models: readonly KnownModel[]
  readonly products: readonly Product[]
  readonly personas: readonly Persona[]
  readonly phrases: Phrases
}

/** The files of the folder, without `.yaml`. */
export const FIXTURE_FILES = ['keys', 'plans', 'models', 'products', 'personas', 'phrases'] as const
type FileName = (typeof FIXTURE_FILES)[number]
type Sources = Readonly<Record<FileName, Source>>

/**
 * Reads and checks `keys.yaml`, `plans.yaml`, `models.yaml`, `products.yaml`, `personas.yaml` and `phrases.yaml` of a
 * folder: all of them must be there. Scenario names are not looked up: the catalogue is not known here.
 */
export async function loadFixtures(folder: string): Promise<Loaded<Fixtures>> {
  const loaded = await loadAll(folder, prepared)
  // Once more from the text: only its parser knows the places of what was found.
  return loaded.ok ? loaded : loadAll(folder)
}

async function loadAll(folder: string, known?: Prepared): Promise<Loaded<Fixtures>> {
  const read = await readAll(folder, known)
  if (!read.ok) return read
  const sources = read.value
  // What the build has prepared it has also checked.
  if (FIXTURE_FILES.every((file) => sources[file].prepared)) return { ok: true, value: proved(sources) }
  const misfits = await misshapen(sources)
  if (misfits.length > 0) return { ok: false, findings: misfits }
  const fixtures = proved(sources)
  const findings = faultsOf(fixtures).map(([file, { path, message }]) =>
    finding(sources[file], path, message),
  )
  return findings.length > 0 ? { ok: false, findings } : { ok: true, value: fixtures }
}

async function readAll(folder: string, known: Prepared | undefined): Promise<Loaded<Sources>> {
  const read = await Promise.all(FIXTURE_FILES.map((file) => readSource(join(folder, `${file}.yaml`), known)))
  const findings = read.flatMap((source) => (source.ok ? [] : source.findings))
  const sources = Object.fromEntries(
    read.flatMap((source, index) => (source.ok ? [[FIXTURE_FILES[index], source.value]] : [])),
  )
  // Without a finding, every file has its source.
  return findings.length > 0 ? { ok: false, findings } : { ok: true, value: sources as Sources }
}

async function misshapen(sources: Sources): Promise<Finding[]> {
  const { compileSchema } = await import('./documents/schema.ts')
  const { default: fixturesSchema } = await import('../spec/fixtures.schema.json', { with: { type: 'json' } })
  const check = compileSchema(fixturesSchema, 'the fixtures')
  return check(valuesOf(sources)).map(({ pointer, message }) => {
    const file = FIXTURE_FILES.find((name) => pointer === `/${name}` || pointer.startsWith(`/${name}/`))
    if (!file) throw new Error(`no file has ${pointer}: ${message}`)
    const place = sources[file].place(pointer.slice(file.length + 1))
    return { severity: 'error', place, message: `${pointer.slice(file.length + 1) || file} ${message}` }
  })
}

function valuesOf(sources: Sources): JsonObject {
  return Object.fromEntries(FIXTURE_FILES.map((file): [string, Json] => [file, sources[file].value]))
}

function proved(sources: Sources): Fixtures {
  // The schema has just proved the shape.
  return valuesOf(sources) as unknown as Fixtures
}

type FaultOf = readonly [FileName, Fault]

/** What the schema cannot say: names that must be unique, and names that must exist elsewhere. */
function faultsOf(fixtures: Fixtures): FaultOf[] {
  const { keys, plans, models, products, personas, phrases } = fixtures
  const personaNames = personas.map(({ name }) => name)
  const planNames = plans.map(({ name }) => name)
  const modelIds = models.map(({ id }) => id.toLowerCase())
  const of = (file: FileName, faults: readonly Fault[]) => faults.map((fault): FaultOf => [file, fault])
  return [
    ...of('keys', twice(keys, 'token')),
    ...of(
      'keys',
      keys.flatMap(({ plan }, index) => unknown([index, 'plan'], plan, planNames, 'plan')),
    ),
    ...of('plans', twice(plans, 'name')),
    ...of('models', twice(models, 'id')),
    ...of(
      'models',
      models.flatMap(({ persona }, index) => unknown([index, 'persona'], persona, personaNames, 'persona')),
    ),
    ...of('products', twice(products, 'id')),
    ...of(
      'products',
      products.flatMap(({ models: ids }, index) =>
        ids.flatMap((id, at) => unknown([index, 'models', at], id.toLowerCase(), modelIds, 'model')),
      ),
    ),
    ...of('personas', twice(personas, 'name')),
    ...of('personas', personaFaults(personas)),
    ...of('phrases', phraseFaults(phrases)),
  ]
}

function twice<Name extends string>(items: readonly Readonly<Record<Name, string>>[], name: Name): Fault[] {
  const seen = new Set<string>()
  return items.flatMap((item, index) => {
    // UUIDs mean the same in either case; tokens and names do not, but two that differ only so invite mistakes.
    const value = item[name].toLowerCase()
    if (!seen.has(value)) {
      seen.add(value)
      return []
    }
    return [{ path: [index, name], message: `"${item[name]}" is there twice` }]
  })
}

function unknown(
  path: Fault['path'],
  value: string | undefined,
  known: readonly string[],
  what: string,
): Fault[] {
  if (value === undefined || known.includes(value)) return []
  return [{ path, message: `there is no ${what} "${value}"; known: ${known.join(', ')}` }]
}

function finding(source: Source, path: Fault['path'], message: string): Finding {
  const pointer = below('', ...path)
  return { severity: 'error', place: source.place(pointer), message: `${pointer} ${message}` }
}
