import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { eachRound, formatTable, median, type Row } from './table.ts'
import { freePort, startTarget, type Target } from './target.ts'

/* `npm run bench:load` measures startup and memory with large documents. `--prism FOLDER` adds Prism from FOLDER. */
const { values } = parseArgs({ options: { prism: { type: 'string' }, rounds: { type: 'string', default: '5' } } })

const documentSizesKb = [200, 1000]

const firstRequest = { method: 'GET', path: '/things0', headers: { authorization: 'Bearer any-key' } } as const

/** Returns a document of about the given size. The schemas of all operations refer to one shared schema. */
function documentOf(kilobytes: number): string {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const description = 'A thing that is stored until somebody requests it, with everything known about it. '.repeat(3)
  const schemas: { [name: string]: object } = {
    Owner: { type: 'object', properties: { name: { type: 'string', pattern: '^[A-Z]' }, mail: { type: 'string' } } },
  }
  const paths: { [path: string]: object } = {}
  const text = () =>
    stringify({
      openapi: '3.1.0',
      info: { title: 'Things', version: '1' },
      servers: [{ url: '/' }],
      paths,
      components: { schemas },
    })
  const bytesPerPath = 1900
  for (let index = 0; index < (kilobytes * 1000) / bytesPerPath; index += 1) {
    schemas[`Thing${index}`] = {
      type: 'object',
      required: ['id'],
      description,
      properties: {
        id: { type: 'integer', minimum: 1 },
        owner: ref('Owner'),
        kind: { enum: ['small', 'large'] },
        parts: { type: 'array', items: ref('Owner') },
      },
    }
    const content = { 'application/json': { schema: ref(`Thing${index}`) } }
    const response = { description, content }
    paths[`/things${index}`] = {
      get: { operationId: `getThing${index}`, description, responses: { 200: response, 404: response } },
      post: { operationId: `addThing${index}`, requestBody: { content }, responses: { 201: response } },
    }
  }
  return text()
}

const folder = mkdtempSync(join(tmpdir(), 'convsim-load-'))
try {
  const rows: Row[] = []
  const names = ['convsim', ...(values.prism === undefined ? [] : ['Prism'])]
  for (const size of documentSizesKb) {
    const file = join(folder, `${size}.yaml`)
    writeFileSync(file, documentOf(size))
    const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
    const prism = resolve(values.prism ?? '', 'node_modules/@stoplight/prism-cli/dist/index.js')
    const commands = [
      (port: number) => [cli, '--port', `${port}`, '--state', ':memory:', '--contract', file],
      (port: number) => [prism, 'mock', '-p', `${port}`, file],
    ]
    const targets = names.map((name, index): Target => ({ name, base: '', arguments: commands[index] ?? (() => []) }))
    const measured = await eachRound(Number(values.rounds), targets, async (target) => {
      const started = await startTarget(target, await freePort(), firstRequest)
      const memory = started.residentMb() ?? Number.NaN
      await started.stop()
      return { ms: started.readyMs, memory }
    })
    rows.push(
      { name: `${size} kB, start to first 200, ms`, values: measured.map((all) => median(all.map(({ ms }) => ms))) },
      { name: `${size} kB, resident, MB`, values: measured.map((all) => median(all.map(({ memory }) => memory))) },
    )
  }
  console.log(formatTable(names, rows))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
