import { textBody } from '../../service/exchange/body.ts'
import type { Reply } from '../../service/exchange/reply.ts'

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#2b5fab"/>' +
  '<path d="M4 10V8m4 2V4m4 6V6" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>'

/** The files that browsers and crawlers request by themselves, by path. */
export const browserFiles: ReadonlyMap<string, Reply> = new Map([
  ['/favicon.ico', fileReply(icon, 'image/svg+xml')],
  ['/robots.txt', fileReply('User-agent: *\nDisallow: /\n', 'text/plain; charset=utf-8')],
])

function fileReply(text: string, mediaType: string): Reply {
  const headers = { 'Cache-Control': 'max-age=86400' }
  return { status: 200, headers, body: textBody(text, mediaType), origin: 'simulator' }
}
