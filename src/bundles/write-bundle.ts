import { isObject, type Json, type JsonObject } from '../core/json.ts'
import { readQuery } from '../core/query-string.ts'
import { SlicedWork } from '../core/slices.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { parseBoundedJson } from '../journal/entry-json.ts'
import type { Journal } from '../journal/journal.ts'
import { redactText } from '../redaction/redact.ts'
import { redacted } from '../redaction/redact-token.ts'
import type { Sandboxes } from '../sandboxes/sandboxes.ts'
import type { Store } from '../state/store.ts'
import type { BundledBody, BundledChange, BundleHead, MissingParts } from './bundle.ts'
import { bundleBody, bundleEntry } from './bundle-entry.ts'
import { type Callers, createRedaction, type RedactRecord } from './callers.ts'
import type { CapturedState, Histories, SandboxChange } from './history.ts'

/** The parts of a simulator that a bundle has. */
interface BundleSource {
  readonly head: BundleHead
  readonly journal: Journal
  readonly histories: Histories
  readonly sandboxes: Sandboxes
  readonly store: Store
  /** The names of the keys, shared by all sandboxes of the bundle. */
  readonly callers: Callers
  /** The position of the latest reload in the order of `Journal.takeOrder`; 0 without one. */
  readonly reloadOrder: number
}

/**
 * Yields the text of a bundle in pieces, between which other requests are answered; without `sandbox`, of all sandboxes
 * with requests or changes. Each sandbox is read at one moment.
 */
export async function* writeBundle(source: BundleSource, sandbox: string | undefined): AsyncGenerator<string> {
  const names = sandbox === undefined ? await listUsed(source) : [sandbox]
  await nameCallers(source, sandbox)
  const redact = createRedaction(source.callers)
  const { rules, ...head } = source.head
  yield `${JSON.stringify({ ...head, rules: rules.map(redact) }).slice(0, -1)},\n"sandboxes":[`
  yield* writeItems(names, (name) => writeSandbox(source, name, redact))
  yield ']}\n'
}

async function listUsed({ sandboxes, journal, histories }: BundleSource): Promise<string[]> {
  const used: string[] = []
  for (const { name } of sandboxes.list()) {
    const { recorded } = await journal.counts(name)
    const { changes, start } = histories.of(name)
    if (recorded > 0 || changes.length > 0 || start.kind !== 'empty') used.push(name)
  }
  return used.sort()
}

/** Names all callers in the order of their requests, before a record is written that may contain the key of any. */
async function nameCallers({ journal, callers }: BundleSource, sandbox: string | undefined): Promise<void> {
  const { entries } = await journal.list({ sandbox })
  for (const { authorization, ownToken } of inOrder(entries)) {
    if (authorization !== undefined) callers.rename(authorization)
    else if (ownToken !== undefined) callers.nameOf(ownToken) // an API key in a header of its own
  }
}

/** Sorts entries by the order in which their handling began. */
const inOrder = (entries: readonly JournalEntry[]) => entries.toSorted((one, other) => one.order - other.order)

async function* writeSandbox(source: BundleSource, name: string, redact: RedactRecord): AsyncGenerator<string> {
  const { journal, histories, sandboxes, store, callers, reloadOrder } = source
  // All parts are read before the next request can change one: none waits for anything but a resolved promise.
  const [{ entries, counts }, settings] = await Promise.all([
    journal.list({ sandbox: name }),
    sandboxes.settings.read(name),
  ])
  const history = histories.of(name)
  const exported = store.exportSandbox(name)
  const { seed, clock, rules } = settings
  const missing: MissingParts = {
    evicted: counts.dropped,
    deleted: history.deletedRequests,
    unfinished: sandboxes.list().find((known) => known.name === name)?.activeRequests ?? 0,
    changes: history.lostChanges,
    reloaded: entries.filter(({ order }) => order < reloadOrder).length,
  }
  const head = {
    name,
    seed,
    clock: { mode: clock.mode, now: new Date(clock.now).toISOString() },
    rules: rules.map((rule) => redact(rule.source)),
    missing,
  }
  yield `${JSON.stringify(head).slice(0, -1)},\n"start":{"empty":${history.start.kind === 'empty'}`
  yield* writeCapturedState(history.start, redact)
  yield '},\n"changes":['
  yield* writeItems(history.changes, (change) => writeChange(change, redact))
  yield '],\n"requests":['
  yield* writeItems(inOrder(entries), (entry) => [JSON.stringify(bundleEntry(entry, callers))])
  yield '],\n"state":'
  yield* writeState({ ...(await exported) } as unknown as JsonObject, redact) // an export is JSON
  yield '}'
}

/** Yields the items of a JSON list, each behind a comma and `lead`, in slices between other requests. */
async function* writeItems<Item>(
  items: Iterable<Item>,
  write: (item: Item) => Iterable<string> | AsyncIterable<string>,
  lead = '\n',
): AsyncGenerator<string> {
  const work = new SlicedWork()
  let separator = ''
  for (const item of items) {
    yield separator + lead
    for await (const piece of write(item)) {
      yield piece
      if (work.isDue) await work.rest()
    }
    separator = ','
  }
}

/** Yields an export without credentials, record by record, and returns true where some were redacted. */
async function* writeState(state: JsonObject, redact: RedactRecord): AsyncGenerator<string, boolean> {
  let isRedacted = false
  const clean = (value: Json) => {
    const text = JSON.stringify(redact(value))
    isRedacted ||= text !== JSON.stringify(value)
    return text
  }
  let separator = '{'
  for (const [name, value] of Object.entries(state)) {
    yield `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (!Array.isArray(value)) yield clean(value)
    else {
      yield '['
      yield* writeItems(value, (record: Json) => recordPieces(record, clean), '')
      yield ']'
    }
  }
  yield '}'
  return isRedacted
}

/** Yields a record, of a prompt each of its versions, of which there can be any number. */
function* recordPieces(record: Json, clean: (record: Json) => string): Generator<string> {
  if (!isObject(record) || !Array.isArray(record['versions'])) {
    yield clean(record)
    return
  }
  const { versions, ...head } = record
  yield `${clean(head).slice(0, -1)},"versions":[`
  for (const [index, version] of versions.entries()) yield (index === 0 ? '' : ',') + clean(version)
  yield ']}'
}

/** Yields the members of a state, each behind a comma. */
async function* writeCapturedState(held: CapturedState, redact: RedactRecord): AsyncGenerator<string> {
  if (held.kind === 'empty') return
  if (held.kind === 'unknown') {
    yield `,"problem":${JSON.stringify(held.reason)}`
    return
  }
  yield ',"state":'
  const isRedacted = yield* writeState(JSON.parse(held.text), redact) // an export that we encoded
  if (isRedacted) yield ',"redacted":true'
}

/** Yields a change as a JSON object. */
async function* writeChange({ state, ...change }: SandboxChange, redact: RedactRecord): AsyncGenerator<string> {
  const query = redactText(`?${withoutSandbox(change.query)}`).slice(1)
  const body = bundleChangeBody(change.body, redact)
  const isRedacted = body.redacted === true || query.includes(redacted)
  const written: BundledChange = { ...change, at: new Date(change.at).toISOString(), query, body }
  yield JSON.stringify({ ...written, ...(isRedacted && { redacted: true }) }).slice(0, -1)
  if (state) yield* writeCapturedState(state, redact)
  yield '}'
}

/** Converts the body of a change, which may contain the key of any request. */
function bundleChangeBody(body: SandboxChange['body'], redact: RedactRecord): BundledBody {
  const bundled = bundleBody(body)
  const json = bundled.text === undefined ? undefined : parseBoundedJson(bundled.text)
  if (json === undefined) return bundled
  const text = JSON.stringify(redact(json))
  return text === JSON.stringify(json) ? bundled : { size: body.size, text, redacted: true }
}

/** Removes the sandbox from a query, since a replay names it by itself. */
function withoutSandbox(query: string): string {
  const { sandbox: _, ...others } = readQuery(query)
  const parts = Object.entries(others).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )
  return new URLSearchParams(parts).toString()
}
