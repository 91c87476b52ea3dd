import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Question, warmAnalytics } from './questions.ts'
import { aligned, figure, median } from './table.ts'
import { ask, freePort, startTarget } from './target.ts'
import { shipped } from './targets.ts'

/**
 * Measures how much longer the simulator takes to start in a container, apart from the container's own start: `npm run bench:image`. What
 * a container takes by itself is what a bare `node:http` takes longer in one, from the same image.
 */
const usage = `npm run bench:image -- [--image convsim] [--engine docker] [--options ...] [--rounds 9]
  image    built before: docker build -t convsim .
  engine   docker or podman, with what it needs before its command
  options  what it needs behind its command run
  rounds   the median of which is told
The image's Node and this one should be of one version.`

interface Engine {
  readonly command: readonly string[]
  readonly options: readonly string[]
}

/** How a start is timed: from before it until the first 200, milliseconds. */
type Start = (folder: string) => Promise<number>

async function main(image: string, engine: Engine, rounds: number): Promise<void> {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  const starts: Record<string, Start> = {
    'convsim, a process': (folder) => ofProcess(shipped(folder)),
    'node:http, a process': () => ofProcess(bare),
    'convsim, a container': () => ofContainer(engine, (port) => ['-e', `PORT=${port}`, image], warmAnalytics),
    'node:http, a container': () =>
      ofContainer(engine, (port) => ['--entrypoint', 'node', image, ...bare.arguments(port)], anything),
  }
  const taken = new Map(Object.keys(starts).map((name) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, start] of Object.entries(starts)) {
      const folder = mkdtempSync(join(tmpdir(), 'convsim-bench-'))
      taken.get(name)?.push(await start(folder))
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const middle = (name: string) => median(taken.get(name) ?? [])
  const own = middle('node:http, a container') - middle('node:http, a process')
  const ratio = (middle('convsim, a container') - own) / middle('convsim, a process')
  const lines = [...taken.keys()].map((name) => [name, figure(middle(name))])
  console.log(
    `Node ${process.version}, median of ${rounds} rounds, start to first 200, ms\n\n${aligned(lines)}`,
  )
  console.log(
    `\nin a container, apart from its own start (${figure(own)} ms), of a process: ${figure(ratio)}`,
  )
  console.log(`wanted: at most 1.2; met: ${ratio <= 1.2 ? 'yes' : 'no'}`)
}

const anything: Question = { method: 'GET', path: '/', headers: {} }

/** The least that answers, in one line, so that it needs no file in the image. */
const bare = {
  name: 'node:http',
  base: '',
  arguments: (port: number) => [
    '-e',
    `require('node:http').createServer((_, response) => response.end()).listen(${port})`,
  ],
}

async function ofProcess(target: Parameters<typeof startTarget>[0]): Promise<number> {
  const started = await startTarget(
    target,
    await freePort(),
    target.name === bare.name ? anything : warmAnalytics,
  )
  await started.stop()
  return started.readyMs
}

async function ofContainer(
  { command: [command = '', ...before], options }: Engine,
  what: (port: number) => readonly string[],
  first: Question,
): Promise<number> {
  const port = await freePort()
  const name = `convsim-bench-${port}`
  const begun = performance.now()
  const args = [...before, 'run', '--rm', '--name', name, '--network', 'host', '--no-healthcheck']
  const container = spawn(command, [...args, ...options, ...what(port)], { stdio: 'ignore' })
  const base = first === anything ? '' : '/v1'
  while ((await ask(`http://127.0.0.1:${port}${base}`, first).catch(() => undefined))?.status !== 200) {
    if (container.exitCode !== null) throw new Error(`${command} ended with exit code ${container.exitCode}`)
    await sleep(1)
  }
  const readyMs = performance.now() - begun
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
