import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type BenchRequest, warmAnalytics } from './requests.ts'
import { alignColumns, formatFigure, median } from './table.ts'
import { freePort, send, startTarget } from './target.ts'
import { builtSimulator } from './targets.ts'

/**
 * Measures how much longer the simulator takes to start in a container, without the container's own start: `npm run bench:image`.
 * The container's own start is the additional time that a bare `node:http` server takes in the same image.
 */
const usage = `npm run bench:image -- [--image convsim] [--engine docker] [--options ...] [--rounds 9]
  image    name of the image, built by: docker build -t convsim .
  engine   docker or podman, with its global options
  options  options of the engine's command run
  rounds   number of rounds; figures are medians
The Node of the image and this Node should have the same version.`

interface Engine {
  readonly command: readonly string[]
  readonly options: readonly string[]
}

/** Starts a server and returns the milliseconds until its first 200. */
type StartTimer = (folder: string) => Promise<number>

async function main(image: string, engine: Engine, rounds: number): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  const starts: Record<string, StartTimer> = {
    'convsim, a process': (folder) => timeProcess(builtSimulator(folder)),
    'node:http, a process': () => timeProcess(bareServer),
    'convsim, a container': () => timeContainer(engine, (port) => ['-e', `PORT=${port}`, image], warmAnalytics),
    'node:http, a container': () =>
      timeContainer(engine, (port) => ['--entrypoint', 'node', image, ...bareServer.arguments(port)], rootRequest),
  }
  const times = new Map(Object.keys(starts).map((name) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, start] of Object.entries(starts)) {
      const folder = mkdtempSync(join(tmpdir(), 'convsim-bench-'))
      times.get(name)?.push(await start(folder))
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const medianOf = (name: string) => median(times.get(name) ?? [])
  const containerMs = medianOf('node:http, a container') - medianOf('node:http, a process')
  const ratio = (medianOf('convsim, a container') - containerMs) / medianOf('convsim, a process')
  const lines = [...times.keys()].map((name) => [name, formatFigure(medianOf(name))])
  console.log(`Node ${process.version}, median of ${rounds} rounds, start to first 200, ms\n\n${alignColumns(lines)}`)
  console.log(
    `\nstart in a container, without the container's own start (${formatFigure(containerMs)} ms) / as a process: ${formatFigure(ratio)}`,
  )
  console.log(`limit: at most 1.2; met: ${ratio <= 1.2 ? 'yes' : 'no'}`)
}

const rootRequest: BenchRequest = { method: 'GET', path: '/', headers: {} }

/** A minimal server as an argument of Node, so that it needs no file in the image. */
const bareServer = {
  name: 'node:http',
  base: '',
  arguments: (port: number) => [
    '-e',
    `require('node:http').createServer((_, response) => response.end()).listen(${port})`,
  ],
}

async function timeProcess(target: Parameters<typeof startTarget>[0]): Promise<number> {
  const started = await startTarget(
    target,
    await freePort(),
    target.name === bareServer.name ? rootRequest : warmAnalytics,
  )
  await started.stop()
  return started.readyMs
}

async function timeContainer(
  { command: [command = '', ...before], options }: Engine,
  argumentsFor: (port: number) => readonly string[],
  first: BenchRequest,
): Promise<number> {
  const port = await freePort()
  const name = `convsim-bench-${port}`
  const startedAt = performance.now()
  const args = [...before, 'run', '--rm', '--name', name, '--network', 'host', '--no-healthcheck']
  const container = spawn(command, [...args, ...options, ...argumentsFor(port)], { stdio: 'ignore' })
  const base = first === rootRequest ? '' : '/v1'
  while ((await send(`http://127.0.0.1:${port}${base}`, first).catch(() => undefined))?.status !== 200) {
    if (container.exitCode !== null) throw new Error(`${command} ended with exit code ${container.exitCode}`)
    await sleep(1)
  }
  const readyMs = performance.now() - startedAt
  execFileSync(command, [...before, 'rm', '-f', name], { stdio: 'ignore' })
  return readyMs
}

const { values } = parseArgs({
  options: {
    image: { type: 'string', default: 'convsim' },
    engine: { type: 'string', default: 'docker' },
    options: { type: 'string', default: '' },
    rounds: { type: 'string', default: '9' },
    help: { type: 'boolean' },
  },
})
if (values.help) console.log(usage)
else {
  const options = values.options.split(' ').filter((word) => word !== '')
  await main(values.image, { command: values.engine.split(' '), options }, Number(values.rounds))
}
