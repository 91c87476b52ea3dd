import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from './damage.ts'
import type { Figures } from './figures.ts'
import { Model } from './model.ts'
import { Server } from './server.ts'

/** The number of rounds on one file. Later rounds use a new file, since the check of a large file takes long. */
const ROUNDS_PER_FILE = 10

/** Kills, stops, pauses, doubles and starves processes that share a state file, and checks that no acknowledged write is lost. */
export class ProcessTrial {
  readonly #cli: string
  readonly #chance: Chance
  readonly #figures: Figures
  readonly #canLimit = spawnSync('prlimit', ['--version']).status === 0
  #path = ''
  #model = new Model()
  #round = 0

  constructor(cli: string, chance: Chance, figures: Figures) {
    this.#cli = cli
    this.#chance = chance
    this.#figures = figures
  }

  /** Runs one round, and checks the file by a start after it. */
  async run(kind: 'kill' | 'stop' | 'second writer' | 'full disk'): Promise<void> {
    if (this.#round % ROUNDS_PER_FILE === 0) this.#beginFile()
    this.#round += 1
    const server = await this.#start()
    if (kind === 'second writer') await this.#addWriter(server)
    else await this.#writeUntilEnd(server, kind)
    await this.#check(kind)
  }

  async #writeUntilEnd(server: Server, kind: 'kill' | 'stop' | 'full disk'): Promise<void> {
    let isOver = false
    const writing = server.write(this.#name('only'), this.#model, this.#figures, () => isOver)
    await sleep(this.#chance() * 300)
    if (this.#chance() < 0.2) await this.#pause(server)
    if (kind === 'full disk') await this.#fillDisk(server)
    this.#figures.add(kind === 'stop' ? 'stops' : 'kills')
    const outcome = await server.end(kind === 'stop' ? 'SIGTERM' : 'SIGKILL')
    if (kind === 'stop' && outcome !== 0) this.#figures.fault(`a stop ended with ${String(outcome)}`)
    isOver = true
    await writing
  }

  async #pause(server: Server): Promise<void> {
    this.#figures.add('pauses')
    server.pause()
    await sleep(100)
    server.resume()
    await sleep(50)
  }

  /** Limits the size of files to that of the log and the beginning of an entry, for some time. */
  async #fillDisk(server: Server): Promise<void> {
    if (!this.#canLimit) return
    this.#figures.add('full disks')
    const folder = dirname(this.#path)
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size)
    const limit = (bytes: number | 'unlimited') =>
      execFileSync('prlimit', ['--pid', String(server.pid), `--fsize=${bytes}:`])
    limit(Math.max(...sizes) + 50)
    await sleep(100)
    if (this.#chance() < 0.5) limit('unlimited')
    await sleep(50)
  }

  /** Lets a second process take the file while the first lives, and lets both write. */
  async #addWriter(first: Server): Promise<void> {
    this.#figures.add('second writers')
    let isOver = false
    const write = (server: Server, name: string) =>
      server.write(this.#name(name), this.#model, this.#figures, () => isOver)
    const writing = [write(first, 'first')]
    await sleep(this.#chance() * 200)
    const isPaused = this.#chance() < 0.3
    if (isPaused) this.#pauseAsInContainer(first)
    else if (this.#chance() < 0.8) rmSync(`${this.#path}.lock`, { force: true })
    const second = await Server.start(this.#cli, this.#path)
    if (isPaused) first.resume()
    if (typeof second === 'string') this.#figures.add('second writers refused')
    else writing.push(write(second, 'second'))
    await sleep(200)
    isOver = true
    await Promise.all(writing)
    const servers = typeof second === 'string' ? [first] : [first, second]
    for (const server of servers) await server.end(this.#chance() < 0.5 ? 'SIGKILL' : 'SIGTERM')
  }

  /** Pauses the process, and makes its lock that of a process in another container, where only heartbeats show that it lives. */
  #pauseAsInContainer(server: Server): void {
    this.#figures.add('pauses of 2.5 s')
    const lock = `${this.#path}.lock`
    writeFileSync(lock, readFileSync(lock, 'utf8').replace(/"space":"[^"]*"/, '"space":"another"'), { flag: 'r+' })
    server.pause()
  }

  async #check(kind: string): Promise<void> {
    const server = await this.#start()
    const missing = this.#model.missingIn(await server.export())
    if (missing.length > 0)
      this.#figures.fault(`${kind}: ${missing.length} acknowledged writes are lost, such as ${missing[0]}`)
    await server.end('SIGTERM')
    if (missing.length > 0) this.#beginFile()
  }

  async #start(): Promise<Server> {
    const server = await Server.start(this.#cli, this.#path)
    if (typeof server !== 'string') return server
    this.#figures.fault(`the file does not load: ${server.slice(-500)}`)
    this.#beginFile()
    return this.#start()
  }

  #beginFile(): void {
    this.close()
    this.#path = join(mkdtempSync(join(tmpdir(), 'convsim-hostile-')), 'state.json')
    this.#model = new Model()
  }

  #name(writer: string): string {
    return `${this.#round}-${writer}`
  }

  close(): void {
    if (this.#path !== '') rmSync(dirname(this.#path), { recursive: true, force: true })
  }
}
