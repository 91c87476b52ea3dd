import type { Contract } from '../contract/contract.ts'
import { acceptsHtml } from '../exchange/accepts-html.ts'
import { textBody } from '../exchange/body.ts'
import type { Reply } from '../exchange/reply.ts'
import type { SimRequest } from '../exchange/request.ts'
import { version } from '../fixtures/bundled.ts'
import { escapeHtml } from '../reports/formats/html-coverage.ts'

/** Returns true for a browser that opens the control plane: `GET /__sim`. `http/app.ts` maps `GET /` of a browser to it. */
export function isStartPage({ basePath }: Contract, { method, path, headers }: SimRequest): boolean {
  if (path !== basePath && path !== `${basePath}/`) return false
  return (method === 'GET' || method === 'HEAD') && acceptsHtml(headers['accept'])
}

/**
 * Creates the page that a browser gets: links to all that the control plane shows. It has no data of its own, so it needs no token.
 * @param hasToken true where the linked pages require `--control-token`
 */
export function createStartPage(control: Contract, service: Contract, hasToken: boolean): Reply {
  const headers = {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'",
    Vary: 'Accept',
  }
  const page = renderPage(control, service, hasToken)
  return { status: 200, headers, body: textBody(page, 'text/html; charset=utf-8'), origin: 'simulator' }
}

const style = `
:root { color-scheme: light dark }
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
li { margin: .3rem 0; overflow-wrap: anywhere }
code { font-size: .9em }`

function renderPage(control: Contract, service: Contract, hasToken: boolean): string {
  const operations = service.operations.map(
    ({ method, path, summary }) =>
      `<li><code>${escapeHtml(`${method} ${service.basePath}${path}`)}</code> ${escapeHtml(summary)}</li>`,
  )
  const token = hasToken
    ? '<p>The control plane requires its token (<code>--control-token</code>), which a link cannot send: use a client that sends it.</p>'
    : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>convsim</title>
<link rel="icon" href="/favicon.ico">
<style>${style}
</style>
</head>
<body>
<h1>convsim ${escapeHtml(version)}</h1>
<p>This is a simulator of the ${escapeHtml(service.title)}. The base URL for clients ends in <code>${escapeHtml(service.basePath)}</code>; any bearer token is accepted.</p>
<ul>
${operations.join('\n')}
</ul>
<h2>Look inside</h2>
${token}<ul>
${listLinks(control).join('\n')}
</ul>
</body>
</html>
`
}

/** Links every operation of the control plane that a browser can open, except those for scripts written for WireMock. */
function listLinks({ operations, basePath }: Contract): string[] {
  const shown = operations.filter(
    ({ method, path }) => method === 'GET' && !path.includes('{') && !path.startsWith('/wiremock/'),
  )
  return shown.map(({ path, summary }) => {
    const target = `${basePath}${path}${path === '/report' ? '?format=html' : ''}`
    return `<li><a href="${escapeHtml(target)}">${escapeHtml(target)}</a> ${escapeHtml(summary)}</li>`
  })
}
