/**
 * The state in Redis, which several replicas share. No process has a copy: each method is one script (`lua/`) or a few,
 * which `sandbox-scripts.ts` runs. `keys.ts` describes what is stored, `open-redis-store.ts` connects.
 */
import { LruCache } from '../../core/lru-cache.ts'
import { success } from '../../core/result.ts'
import { sleep } from '../../core/timers.ts'
import { countRecords } from '../collections/index.ts'
import { addUpRecords } from '../queries.ts'
import { parseExport } from '../sandbox-export.ts'
import type { Store } from '../store.ts'
import type { RedisConnection, Script } from './connection.ts'
import { exportSandbox, listEvents } from './event-reader.ts'
import { updateRecord } from './head-fields.ts'
import { recordsField } from './keys.ts'
import { ACTIVATE_VERSION } from './lua/prompt-scripts.ts'
import { DELETE_SANDBOX, DELETE_SNAPSHOT, PUT_QUALITY, RESET, RESTORE_SNAPSHOT } from './lua/sandbox-scripts.ts'
import { parseQuality, parseRecords, readContent } from './read-content.ts'
import type { RedisCounters } from './redis-counters.ts'
import { importContent } from './redis-import.ts'
import { addPromptVersion, type KnownImpact, recordEvent, sumImpact } from './redis-records.ts'
import { createSnapshot, listSandboxes, listSnapshots } from './redis-snapshots.ts'
import type { Argument, SandboxScripts } from './sandbox-scripts.ts'

/** The parts that a store works with. */
interface RedisStoreDeps extends Pick<Store, 'findOutage' | 'close'> {
  readonly scripts: SandboxScripts
  readonly counters: RedisCounters
}

/** The store in Redis. */
export class RedisStore implements Store {
  readonly #scripts: SandboxScripts
  readonly #counters: RedisCounters
  /** The impact by sandbox and query. */
  readonly #impacts = new LruCache<KnownImpact>(200)
  readonly findOutage: Store['findOutage']
  readonly close: Store['close']

  constructor({ scripts, counters, findOutage, close }: RedisStoreDeps) {
    this.#scripts = scripts
    this.#counters = counters
    this.findOutage = findOutage
    this.close = close
  }

  readonly recordEvent: Store['recordEvent'] = (context, draft) => recordEvent(this.#scripts, context, draft)
  readonly addPromptVersion: Store['addPromptVersion'] = (context, draft) =>
    addPromptVersion(this.#scripts, context, draft)
  readonly consumeRate: Store['consumeRate'] = ({ sandbox, now }, key, limit, windowMs) =>
    this.#counters.consumeRate(sandbox, key, limit, windowMs, now)
  readonly nextSequenceIndex: Store['nextSequenceIndex'] = (sandbox, key) =>
    this.#counters.nextSequenceIndex(sandbox, key)
  readonly listSequences: Store['listSequences'] = (sandbox) => this.#counters.sequenceCounts(sandbox)
  readonly listEvents: Store['listEvents'] = (sandbox, query = {}) => listEvents(this.#scripts, sandbox, query)
  readonly listPrompts: Store['listPrompts'] = async (sandbox) => (await readContent(this.#scripts, sandbox)).prompts
  readonly activateVersion: Store['activateVersion'] = async (sandbox, promptId, versionId) =>
    (await this.#write(ACTIVATE_VERSION, sandbox, promptId, versionId)) === 'activated'
  readonly eventImpact: Store['eventImpact'] = (sandbox, query) => {
    const known = this.#impacts.get(`${sandbox} ${JSON.stringify(query)}`, () => ({ state: '', days: new Map() }))
    return sumImpact(this.#scripts, sandbox, query, known)
  }
  readonly getQuality: Store['getQuality'] = async (sandbox) => {
    const fresh = this.#scripts.heads.get(sandbox)?.quality
    const [text = ''] = fresh === undefined ? await this.#scripts.readHead(sandbox, 'quality') : [fresh]
    return parseQuality(sandbox, text)
  }
  readonly putQuality: Store['putQuality'] = async (sandbox, settings) => {
    await this.#write(PUT_QUALITY, sandbox, JSON.stringify(settings))
  }
  readonly listRecords: Store['listRecords'] = async (sandbox, { name }) => {
    const [text] = await this.#scripts.readHead(sandbox, recordsField(name))
    return parseRecords(sandbox, text)
  }
  readonly updateRecord: Store['updateRecord'] = (sandbox, collection, key, update) =>
    updateRecord(this.#scripts, sandbox, collection, key, update)
  readonly createSnapshot: Store['createSnapshot'] = (context, name) => createSnapshot(this.#scripts, context, name)
  readonly listSnapshots: Store['listSnapshots'] = (sandbox) => listSnapshots(this.#scripts, sandbox)
  readonly restoreSnapshot: Store['restoreSnapshot'] = async (sandbox, snapshotId) =>
    (await this.#write(RESTORE_SNAPSHOT, sandbox, snapshotId)) === 'restored'
  readonly deleteSnapshot: Store['deleteSnapshot'] = async (sandbox, snapshotId) =>
    (await this.#write(DELETE_SNAPSHOT, sandbox, snapshotId)) === 'deleted'
  readonly exportSandbox: Store['exportSandbox'] = (sandbox) => exportSandbox(this.#scripts, sandbox)
  readonly importSandbox: Store['importSandbox'] = async (sandbox, document) => {
    const parsed = await parseExport(document)
    if (!parsed.ok) return parsed
    await importContent(this.#scripts, sandbox, parsed.value, 'always')
    return success(countRecords(parsed.value))
  }
  readonly importIfEmpty: Store['importIfEmpty'] = (sandbox, document) =>
    importContent(this.#scripts, sandbox, document, 'if-empty')
  readonly listSandboxes: Store['listSandboxes'] = () => listSandboxes(this.#scripts)
  readonly deleteSandbox: Store['deleteSandbox'] = async (sandbox) =>
    (await this.#replace(DELETE_SANDBOX, sandbox)) === 'deleted'
  readonly reset: Store['reset'] = async (sandbox) => {
    await this.#replace(RESET, sandbox)
  }
  readonly size: Store['size'] = async () => addUpRecords(await listSandboxes(this.#scripts))
  readonly fork: Store['fork'] = () =>
    new RedisStore({
      scripts: this.#scripts.fork(),
      counters: this.#counters.fork(),
      findOutage: this.findOutage,
      close: async () => {},
    })
  readonly findLoss: Store['findLoss'] = async () => undefined

  async #write(script: Script, sandbox: string, ...args: readonly Argument[]) {
    return (await this.#scripts.write(script, sandbox, args))[0]
  }

  async #replace(script: Script, sandbox: string) {
    const outcome = await this.#write(script, sandbox)
    if (!this.#scripts.isFork) await waitForMemory(this.#scripts.connection)
    return outcome
  }
}

/** The number of times that Redis is asked, 10 ms apart. */
const MAX_QUESTIONS = 100

/** Waits until Redis has freed the memory of deleted keys, so that a full one takes changes again. */
async function waitForMemory(connection: RedisConnection): Promise<void> {
  for (let questions = 0; questions < MAX_QUESTIONS; questions += 1) {
    const info = String(await connection.call('info', 'memory'))
    if (!/^lazyfree_pending_objects:[1-9]/m.test(info)) return
    await sleep(10)
  }
}
