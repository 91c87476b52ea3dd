import { signal } from '@preact/signals'

/** The name under which the token is stored, in the storage of the tab, which no other tab reads. */
const storageName = 'convsim-control-token'

/** True while the control plane refuses the page for want of the right token. The page then asks for it. */
export const isTokenNeeded = signal(false)

/** Returns the headers that carry the token; empty where none was entered. */
export function tokenHeaders(): Record<string, string> {
  const token = sessionStorage.getItem(storageName)
  return token === null ? {} : { Authorization: `Bearer ${token}` }
}

/** Stores the token that the user entered, for this tab only. Returns false if no header can carry it. */
export function storeToken(token: string): boolean {
  if (!/^[\x20-\x7e]+$/.test(token)) return false
  sessionStorage.setItem(storageName, token)
  return true
}
