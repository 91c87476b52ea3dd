import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { replaceRoute, route } from '../store/route.ts'

/** Milliseconds after the last key until the search begins, so that typing costs nothing but the field. */
const searchDelayMs = 150

/** Properties of `SearchField`. */
export interface SearchFieldProps {
  /** `Search events`. */
  readonly label: string
  /** An example of what can be searched. */
  readonly placeholder: string
  readonly field: { current: HTMLInputElement | null }
}

/** The field of a list's search, whose text is kept in the address. */
export function SearchField({ label, placeholder, field }: SearchFieldProps) {
  const text = route.value.query['q'] ?? ''
  const typed = useSignal(text)
  const sent = useRef(text)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => {
    // The address has changed by a link; a search of this field may be older than what is typed.
    if (text !== sent.current) typed.value = text
    sent.current = text
  }, [text, typed])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (event: Event) => {
    const value = (event.currentTarget as HTMLInputElement).value
    typed.value = value
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      sent.current = value
      replaceRoute({ query: { q: value } })
    }, searchDelayMs)
  }
  return (
    <input
      ref={field}
      type="search"
      class="search"
      aria-label={label}
      placeholder={placeholder}
      spellcheck={false}
      autocomplete="off"
      value={typed.value}
      onInput={type}
    />
  )
}
