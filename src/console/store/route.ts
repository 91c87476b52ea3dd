import { computed, signal } from '@preact/signals'

/**
 * The current location: `#/requests/req-7?sandbox=a&q=status:4xx`. It mirrors the URL, so that you can link to a view,
 * an entry or a search.
 */
export const route = signal(parseRoute(location.hash))

/** The sandbox that the whole page shows: `default` unless the URL names another; `*` for all sandboxes. */
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

/** Decodes part of a URL. If the part is not validly encoded (the user may have typed it), returns it unchanged. */
function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A change to the location. Within a view, anything omitted is kept. Undefined or empty parameters are removed. */
interface RouteChange {
  readonly view?: string
  readonly id?: string | undefined
  readonly query?: Readonly<Record<string, string | undefined>>
}

/** Returns the link to a location. A link to a different view keeps the sandbox, but not the current view's state. */
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

/** Changes the URL without adding an entry to the browser's history, for example while the user types. */
export function replaceRoute(change: RouteChange): void {
  const hash = hrefOf(change)
  history.replaceState(null, '', hash)
  route.value = parseRoute(hash)
}

export const hasState = (name: string, value: string): boolean => route.value.query[name] === value

export const toggleState = (name: string, value: string): void =>
  replaceRoute({ query: { [name]: hasState(name, value) ? undefined : value } })

/** Selects another sandbox in the same view. Closes the open entry, which belongs to the previous sandbox. */
export function showSandbox(name: string): void {
  navigate({ id: undefined, query: { sandbox: name === 'default' ? undefined : name } })
}
