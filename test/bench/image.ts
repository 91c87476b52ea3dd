import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type BenchRequest, warmAnalytics } from './requests.ts'
import { alignColumns, formatFigure, median } from './table.ts'
import { freePort, startTarget, type Target, waitUntilOk } from './target.ts'
import { builtSimulator, withBuild } from './targets.ts'

/**
 * Measures how much longer the simulator takes to start in a container, without the container's own start: `npm run
 * bench:image`. The container's own start is the additional time that a bare `node:http` server takes in the same
 * image.
 */
const usage = `npm run bench:image -- [--image convsim] [--engine docker] [--options ...] [--rounds 9]
  image    name of the image, built by: docker build -t convsim .
  engine   docker or podman, with its global options
  options  options of the engine's command run
  rounds   number of rounds; figures are medians
The Node of the image and this Node should have the same version.`

const text = (standard: string) => ({ type: 'string', default: standard }) as const
const { values } = parseArgs({
  options: {
    image: text('convsim'),
    engine: text('docker'),
    options: text(''),
    rounds: text('9'),
    help: { type: 'boolean' },
  },
})
if (values.help) {
  console.log(usage)
  process.exit(0)
}
const { image } = values
const rounds = Number(values.rounds)
const [command = '', ...before] = values.engine.split(' ')
const runOptions = values.options.split(' ').filter((word) => word !== '')

const rootRequest: BenchRequest = { method: 'GET', path: '/', headers: {} }

/** A minimal server as an argument of Node, so that it needs no file in the image. */
const bareServer: Target = {
  name: 'node:http',
  base: '',
  arguments: (port) => ['-e', `require('node:http').createServer((_, response) => response.end()).listen(${port})`],
}

await withBuild(async (folder) => {
  const starts: Record<string, (round: number) => Promise<number>> = {
    'convsim, a process': (round) => timeProcess(builtSimulator(join(folder, String(round))), warmAnalytics),
    'node:http, a process': () => timeProcess(bareServer, rootRequest),
    'convsim, a container': () => timeContainer((port) => ['-e', `PORT=${port}`, image], '/v1', warmAnalytics),
    'node:http, a container': () =>
      timeContainer((port) => ['--entrypoint', 'node', image, ...bareServer.arguments(port)], '', rootRequest),
  }
  const times = new Map(Object.keys(starts).map((name) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round += 1)
    for (const [name, start] of Object.entries(starts)) times.get(name)?.push(await start(round))
  const medianOf = (name: string) => median(times.get(name) ?? [])
  const containerMs = medianOf('node:http, a container') - medianOf('node:http, a process')
  const ratio = (medianOf('convsim, a container') - containerMs) / medianOf('convsim, a process')
  const lines = [...times.keys()].map((name) => [name, formatFigure(medianOf(name))])
  console.log(`Node ${process.version}, median of ${rounds} rounds, start to first 200, ms\n\n${alignColumns(lines)}`)
  console.log(
    `\nstart in a container, without the container's own start (${formatFigure(containerMs)} ms) / as a process: ` +
      formatFigure(ratio),
  )
  console.log(`limit: at most 1.2; met: ${ratio <= 1.2 ? 'yes' : 'no'}`)
})

async function timeProcess(target: Target, first: BenchRequest): Promise<number> {
  const started = await startTarget(target, await freePort(), first)
  await started.stop()
  return started.readyMs
}

/** Starts a container, and returns the milliseconds until its first 200. */
async function timeContainer(argumentsFor: (port: number) => readonly string[], base: string, first: BenchRequest) {
  const port = await freePort()
  const name = `convsim-bench-${port}`
  const startedAt = performance.now()
  const args = [...before, 'run', '--rm', '--name', name, '--network', 'host', '--no-healthcheck']
  const container = spawn(command, [...args, ...runOptions, ...argumentsFor(port)], { stdio: 'ignore' })
  await waitUntilOk(command, container, `http://127.0.0.1:${port}${base}`, first)
  const readyMs = performance.now() - startedAt
  execFileSync(command, [...before, 'rm', '-f', name], { stdio: 'ignore' })
  return readyMs
}
