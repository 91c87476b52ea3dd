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
    bundle: true,
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

/** Replaces `assets/app.js` and `assets/style.css` in the page by the names with their hashes. */
function insertNames(page: string, { outputs }: Metafile): string {
  const names = Object.keys(outputs).map((path) => basename(path))
  return names.reduce((text, name) => text.replace(name.replace(/-[A-Z0-9]{8}\./, '.'), name), page)
}

async function writeCompressed(file: string): Promise<void> {
  const bytes = await readFile(file)
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  await writeFile(`${file}.br`, await promisify(brotliCompress)(bytes, { params }))
  await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }))
}
