import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import { root } from './modules.ts'

/**
 * Builds the web page of the console from `src/console/` into a folder: `index.html`, and `assets/` with the script and
 * the stylesheet, named by their hashes. Each file has compressed forms beside it (`.br`, `.gz`) to serve.
 */
export async function buildConsole(folder: string): Promise<Metafile> {
  const source = join(root, 'src/console')
  await mkdir(folder, { recursive: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { app: join(source, 'main.tsx'), style: join(source, 'styles/index.css') },
    outdir: join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true, // the code of a view is loaded when it is first shown
    minify: true,
    legalComments: 'none', // the licences stand in a file beside the page
    platform: 'browser',
    format: 'esm',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    metafile: true,
    logLevel: 'warning',
  })
  await writeFile(join(folder, 'index.html'), insertNames(await readFile(join(source, 'index.html'), 'utf8'), metafile))
  for (const file of await readdir(folder, { recursive: true }))
    if (file !== 'assets') await writeCompressed(join(folder, file))
  return metafile
}

/**
 * Replaces `assets/app.js` and `assets/style.css` in the page by the names with their hashes, and adds links to the
 * modules that the script imports, so that the browser asks for them before it reads the script.
 */
function insertNames(page: string, { outputs }: Metafile): string {
  const urlOf = (path: string) => `assets/${basename(path)}`
  let text = page
  for (const [path, { entryPoint = '', imports }] of Object.entries(outputs)) {
    text = text.replace(urlOf(path).replace(/-[A-Z0-9]{8}\./, '.'), urlOf(path))
    const preloaded = entryPoint.endsWith('main.tsx') ? imports.filter(({ kind }) => kind === 'import-statement') : []
    for (const one of preloaded)
      text = text.replace('<script', `<link rel="modulepreload" href="${urlOf(one.path)}">\n    <script`)
  }
  return text
}

async function writeCompressed(file: string): Promise<void> {
  const bytes = await readFile(file)
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }))
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }))
}
