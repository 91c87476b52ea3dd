import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { root } from './modules.ts'

/**
 * Builds the web page of the console from `src/console/` into a folder: `index.html`, and `assets/` with the script and
 * the stylesheet, named by their hashes. Each file has compressed forms beside it (`.br`, `.gz`) to serve.
 */
export async function buildConsole(folder: string) {
  const source = join(root, 'src/console')
  const result = await build({
    absWorkingDir: root,
    entryPoints: { app: join(source, 'main.tsx'), style: join(source, 'styles/index.css') },
    outdir: join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true, // the code of a view is loaded when it is first shown
    minify: true,
    legalComments: 'none', // THIRD-PARTY-LICENSES.txt has the licences
    platform: 'browser',
    format: 'esm',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    metafile: true,
    logLevel: 'warning',
  })
  let page = await readFile(join(source, 'index.html'), 'utf8') // which links to assets/app.js and assets/style.css
  for (const name of Object.keys(result.metafile.outputs).map((path) => basename(path)))
    page = page.replace(`"assets/${name.replace(/-[A-Z0-9]{8}\./, '.')}"`, `"assets/${name}"`)
  await writeFile(join(folder, 'index.html'), page)
  for (const file of await readdir(folder, { recursive: true })) {
    if (file === 'assets') continue
    const bytes = await readFile(join(folder, file))
    await writeFile(join(folder, `${file}.br`), brotliCompressSync(bytes))
    await writeFile(join(folder, `${file}.gz`), gzipSync(bytes))
  }
  return result
}
