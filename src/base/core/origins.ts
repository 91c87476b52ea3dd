/**
 * Parses comma-separated origins of web pages: `http://localhost:6006, https://docs.example.com`. Returns undefined if
 * any part is not an HTTP or HTTPS origin. Paths and wildcards are not allowed.
 */
export function parseOrigins(text: string): string[] | undefined {
  const origins = text.split(',').map((part) => parseOrigin(part.trim()))
  return origins.every((origin) => origin !== undefined) ? origins : undefined
}

function parseOrigin(text: string): string | undefined {
  if (!/^https?:\/\/[^*]+$/i.test(text) || !URL.canParse(text)) return undefined
  const { origin, href } = new URL(text)
  return href === `${origin}/` ? origin : undefined
}

export type CorsOrigins = '*' | readonly string[]

export function isAllowedOrigin(allowed: CorsOrigins, origin: string): boolean {
  return allowed === '*' || allowed.includes(origin)
}
