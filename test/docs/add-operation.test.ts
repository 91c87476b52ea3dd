// @module-tag long
import { execFile } from 'node:child_process'
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

const operation = `
    get:
      operationId: listPrompts
      tags: [Prompts]
      summary: List the prompts
      parameters:
        - name: source
          in: query
          schema: { type: string, enum: [customer, import] }
          examples:
            customer: { value: customer }
            import: { value: import }
      responses:
        '200':
          description: The IDs of the prompts.
          content:
            application/json:
              schema:
                type: object
                required: [promptIds]
                properties: { promptIds: { type: array, items: { type: string } } }
              examples:
                one: { value: { promptIds: [1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed] } }
        '400':
          description: The source is not valid.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Error' }
              examples:
                invalid_source:
                  value:
                    success: false
                    error: 'Invalid request: query/source: must be one of "customer", "import"; got "x".'
        '401': { $ref: '#/components/responses/Unauthorized' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '429': { $ref: '#/components/responses/RateLimited' }
        '500': { $ref: '#/components/responses/ServerError' }
        '503': { $ref: '#/components/responses/Unavailable' }`

const definition = `import { jsonBody } from '../exchange/reply.ts'
import type { OperationDefinition } from './handler.ts'

/** GET /prompts: lists the IDs of the prompts. */
export const listPrompts: OperationDefinition = {
  operationId: 'listPrompts',
  samples: () => [{ promptIds: [] }],
  createHandle:
    ({ store }) =>
    async ({ sandbox }) => {
      const promptIds: string[] = []
      for await (const { promptId } of await store.listPrompts(sandbox)) promptIds.push(promptId)
      return jsonBody({ promptIds })
    },
}
`

/** Options for a test that starts a second test run, in which tests may time out on a shared machine. */
const slow = { timeout: 1_800_000, retry: 1 }

/** The paths, relative to `test/`, of tests that a new operation could break. */
const affectedTests = `sweeps.test.ts api/bad-requests.test.ts api/control-plane.test.ts api/wording.test.ts
  command-line/commands.test.ts command-line/output.test.ts client server/control features/drift/planted.test.ts
  features/proxy/same-verdicts.test.ts
  server/reports server/simulator/watch.test.ts`

test('the affected tests pass after an operation is added as described in CONTRIBUTING.md', slow, async () => {
  const folder = await tempFolder()
  const { stdout } = await run('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root })
  for (const file of stdout.trim().split('\n')) await cp(join(root, file), join(folder, file))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await run('git', ['init', '--quiet'], { cwd: folder }) // the tests use git to list the files
  await run('git', ['add', '--all'], { cwd: folder })
  const edit = async (file: string, before: string, after: string) => {
    const text = await readFile(join(folder, file), 'utf8')
    expect(text).toContain(before)
    await writeFile(
      join(folder, file),
      text.replace(before, () => after),
    )
  }
  await edit('spec/openapi.yaml', '\n  /prompts:', `\n  /prompts:${operation}`)
  await writeFile(join(folder, 'src/service/operations/list-prompts.ts'), definition)
  await edit(
    'src/service/operations/index.ts',
    'import { createPrompt',
    "import { listPrompts } from './list-prompts.ts'\nimport { createPrompt",
  )
  await edit('src/service/operations/index.ts', 'createEvent]', 'createEvent, listPrompts]')
  // The wording test needs a request for each new error example.
  await edit(
    'test/api/wording.test.ts',
    '\n  plan_too_low:',
    "\n  invalid_source: { path: '/v1/prompts?source=x' },\n  plan_too_low:",
  )
  const npm = (...args: string[]) => run('npm', args, { cwd: folder, maxBuffer: 2 ** 28 })
  await npm('run', 'generate')
  await npm('run', 'build')
  await npm('run', 'unit', '--', 'test/server/reports', '-u')
  const paths = affectedTests.split(/\s+/).map((name) => `test/${name}`)
  const result = await npm('run', 'unit', '--', ...paths, '--tags-filter=!long').catch((error) => error)
  expect(result.stdout.match(/FAIL.*|AssertionError.*/g) ?? []).toEqual([])
  expect(result.code ?? 0, String(result.stdout).slice(-2000)).toBe(0)
})
