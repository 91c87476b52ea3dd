import { computed, signal } from '@preact/signals'

/**
 * The current location: `#/requests/req-7?sandbox=a&q=status:4xx`. The address is its only source, so that each state
 * of the page is a link.
 */
export const route = signal(parseRoute(location.hash))

/** The sandbox that the whole page shows: `default` unless the address names another; `*` for all. */
export const sandbox = computed(() => route.value.query['sandbox'] ?? 'default')

addEventListener('hashchange', () => {
  route.value = parseRoute(location.hash)
})

export function parseRoute(hash: string) {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [view = '', ...id] = path.split('/')
  return {
    view: decodePart(view),
    id: id.length === 0 ? undefined : decodePart(id.join('/')),
    query: Object.fromEntries(new URLSearchParams(query)) as Readonly<Record<string, string>>,
  }
}

/** Decodes a part of an address, which the user may have typed. */
function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Changes to the current location. Absent members are kept; undefined or empty members of `query` are removed. */
interface RouteChange {
  readonly view?: string
  readonly id?: string | undefined
  readonly query?: Readonly<Record<string, string | undefined>>
}

/** Returns the link to a location. Another view starts without this view's state, in the same sandbox. */
export function hrefOf(change: RouteChange): string {
  const { view, id, query } = route.value
  const isSameView = change.view === undefined || change.view === view
  const kept = isSameView ? query : { sandbox: query['sandbox'] }
  const params = Object.entries({ ...kept, ...change.query }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  )
  const keptId = isSameView && !('id' in change) ? id : change.id
  const path = [change.view ?? view, ...(keptId === undefined ? [] : [keptId])].map(encodeURIComponent)
  const text = new URLSearchParams(params).toString()
  return `#/${path.join('/')}${text === '' ? '' : `?${text}`}`
}

export function navigate(change: RouteChange): void {
  location.hash = hrefOf(change)
}

/** Changes the address without an entry in the browser's history, for example while the user types. */
export function replaceRoute(change: RouteChange): void {
  const hash = hrefOf(change)
  history.replaceState(null, '', hash)
  route.value = parseRoute(hash)
}

export const hasState = (name: string, value: string): boolean => route.value.query[name] === value

export const toggleState = (name: string, value: string): void =>
  replaceRoute({ query: { [name]: hasState(name, value) ? undefined : value } })

/** Shows another sandbox in the same view. Whatever is open belongs to the previous sandbox, so it is closed. */
export function showSandbox(name: string): void {
  navigate({ id: undefined, query: { sandbox: name === 'default' ? undefined : name } })
}
