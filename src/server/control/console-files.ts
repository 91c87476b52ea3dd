import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { refuse } from '../../service/exchange/refusals.ts'
import { encodedBody, type Reply } from '../../service/exchange/reply.ts'
import { accepts, type SimRequest } from '../../service/exchange/request.ts'
import { bundledConsole, root } from '../../service/fixtures/bundled.ts'

/** Matches the paths of scripts and stylesheets, whose names contain a hash, and of documentation pages. */
const assetPath = /^\/__sim\/(assets\/[a-z]{1,20}-[A-Z0-9]{8}\.(?:js|css)|docs\/[a-z-]{1,40}\.md)$/

/** Returns true for requests for console files. These requests need no token, since browsers load pages without one. */
export function isConsoleRequest({ method, path, headers }: SimRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (path === '/__sim') return accepts(headers['accept'], 'text/html')
  return path === '/__sim/' || assetPath.test(path)
}

export async function serveConsole(request: SimRequest): Promise<Reply | undefined> {
  if (!isConsoleRequest(request)) return undefined
  const { path } = request
  if (path === '/__sim') return { status: 302, headers: { Location: '/__sim/' }, body: undefined, origin: 'simulator' }
  const asset = assetPath.exec(path)?.[1]
  const isDocumentation = asset?.startsWith('docs/') ?? false
  const bytes = await readFileIfPresent(join(isDocumentation ? root : bundledConsole, asset ?? 'index.html'))
  if (!bytes) return refuseMissing(asset)
  return {
    status: 200,
    headers: {
      ...pageHeaders(),
      'Cache-Control': asset === undefined || isDocumentation ? 'no-store' : 'public, max-age=31536000, immutable',
    },
    body: encodedBody(bytes, mediaTypeOf(asset)),
    origin: 'simulator',
  }
}

function refuseMissing(asset: string | undefined): Reply {
  const error =
    asset === undefined
      ? 'The console is not built. Run "npm run build", then reload this page.'
      : `The console has no file ${asset}. If this page is from another version, reload it.`
  return refuse(404, error, 'simulator')
}

function mediaTypeOf(asset: string | undefined): string {
  if (asset === undefined) return 'text/html; charset=utf-8'
  if (asset.endsWith('.md')) return 'text/plain; charset=utf-8'
  return asset.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8'
}

async function readFileIfPresent(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/**
 * Returns the headers for a page or file under `/__sim`. The policy allows the console's files and `data:` images. It
 * forbids inline scripts, other origins, HTML set from strings, and framing. `styles`: the allowed sources of styles.
 */
export function pageHeaders(styles = "'self'"): Record<string, string> {
  return {
    'Content-Security-Policy':
      `default-src 'none'; script-src 'self'; style-src ${styles}; connect-src 'self'; img-src 'self' data:; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    'Referrer-Policy': 'no-referrer',
  }
}
