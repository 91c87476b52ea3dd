/** What the trials share: chance, numbers, and the built command. */
import { type ChildProcess, spawn } from 'node:child_process'
import { warmAnalytics } from '../bench/requests.ts'
import { freePort, waitUntilOk } from '../bench/target.ts'

/** The command that is tried. */
export const cli = new URL('../../dist/cli.js', import.meta.url).pathname

/** Counts of what was tried and how it ended, and peaks, by name, in the order of their first use. */
export class Numbers {
  readonly #counts = new Map<string, number>()
  faults = 0

  add(name: string, count = 1): void {
    this.#counts.set(name, this.count(name) + count)
  }

  /** Sets a number to the largest value that it has had. */
  peak(name: string, value: number): void {
    this.#counts.set(name, Math.max(this.count(name), Math.round(value)))
  }

  /** Returns a count or peak, by default 0. */
  count(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  /** Records what must not happen: an acknowledged write that is lost, or data that changed silently. */
  fault(description: string): void {
    this.faults += 1
    console.log(`FAULT: ${description}`)
  }

  line(): string {
    return [...this.#counts, ['FAULTS', this.faults]].map(([name, count]) => `${name} ${count}`).join(', ')
  }
}

/** A kind of attack, which is repeated. */
export abstract class Trial {
  protected readonly chance: () => number
  protected readonly numbers: Numbers

  /** `chance` returns a number from 0 to 1. */
  constructor(chance: () => number, numbers: Numbers) {
    this.chance = chance
    this.numbers = numbers
  }

  /** Starts what is attacked in all rounds. */
  async start(): Promise<void> {}

  /** Runs one round. */
  abstract run(kind?: string): Promise<void>

  close(): void | Promise<void> {}

  protected pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.chance() * items.length)] as Item // a place in the list
  }
}

/** A trial of a server that lives through all rounds, with its state in memory. */
export abstract class ServerTrial extends Trial {
  protected origin = ''
  #child: ChildProcess | undefined

  protected get child(): ChildProcess {
    if (!this.#child) throw new Error('the server is not started')
    return this.#child
  }

  /** Starts the command with options of Node. */
  protected async startServer(...options: readonly string[]): Promise<void> {
    const port = await freePort()
    const args = [...options, cli, '--port', String(port), '--state', ':memory:']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    this.#child = child
    this.origin = `http://127.0.0.1:${port}`
    await waitUntilOk('convsim', child, `${this.origin}/v1`, warmAnalytics)
    child.once('exit', (code, signal) => this.numbers.fault(`the attacked server ended: ${signal ?? code}`))
  }

  override close(): void {
    this.child.removeAllListeners('exit')
    this.child.kill('SIGTERM')
  }
}
