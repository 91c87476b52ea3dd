import type { RedisReply } from './connection.ts'

/** A write, which is sent again if it had a conflict, or was sent behind one that had. */
interface OrderedWrite {
  readonly number: number
  /** `group`: the writes that are stopped when one of them has a conflict. */
  readonly send: (group: string) => Promise<readonly RedisReply[]>
  readonly resolve: (reply: readonly RedisReply[]) => void
  readonly reject: (error: unknown) => void
}

/** The writes of a sandbox that are not done. `again` has those to send once no other is in flight. */
interface OpenWrites {
  group: string
  inFlight: number
  again: OrderedWrite[]
}

/**
 * Carries out this process's writes of each sandbox in the order of the calls, without waiting for replies. If one has
 * a conflict, its script stops those that were sent behind it, and all of them are sent again.
 */
export class WriteOrder {
  readonly #createId: () => string
  readonly #open = new Map<string, OpenWrites>()
  #count = 0

  constructor(createId: () => string) {
    this.#createId = createId
  }

  run(sandbox: string, send: OrderedWrite['send']): Promise<readonly RedisReply[]> {
    return new Promise((resolve, reject) => {
      const open = this.#open.get(sandbox) ?? { group: this.#createId(), inFlight: 0, again: [] }
      this.#open.set(sandbox, open)
      this.#count += 1
      const write = { number: this.#count, send, resolve, reject }
      if (open.again.length > 0) open.again.push(write)
      else void this.#send(sandbox, open, write)
    })
  }

  /** Sends a write, and at last those that must be sent again. It does not reject. */
  async #send(sandbox: string, open: OpenWrites, write: OrderedWrite): Promise<void> {
    open.inFlight += 1
    try {
      const reply = await write.send(open.group)
      if (reply[0] === 'conflict' || reply[0] === 'stopped') open.again.push(write)
      else write.resolve(reply)
    } catch (error) {
      write.reject(error)
    }
    open.inFlight -= 1
    if (open.inFlight > 0) return
    const again = open.again.sort((a, b) => a.number - b.number)
    open.again = []
    open.group = this.#createId()
    if (again.length === 0) this.#open.delete(sandbox)
    for (const each of again) void this.#send(sandbox, open, each)
  }
}
