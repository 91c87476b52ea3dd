/** Returns the address to which an answer redirects; undefined: it redirects to none. `url`: the address that was asked. */
export function findRedirect(status: number, location: string | undefined, url: string): URL | undefined {
  const isRedirect = [301, 302, 303, 307, 308].includes(status) && location !== undefined
  return isRedirect && URL.canParse(location, url) ? new URL(location, url) : undefined
}
