import { useEffect, useRef } from 'preact/hooks'
import { replaceRoute, route } from '../store/route.ts'

/** Milliseconds after the last key until the search begins. */
const searchDelayMs = 150

type Field = { current: HTMLInputElement | null }

/** The field of a list's search, whose text is kept in the address. */
export function SearchField({ label, placeholder, field }: Record<'label' | 'placeholder', string> & { field: Field }) {
  const text = route.value.query['q'] ?? ''
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => {
    // The address has changed by a link; while the user types, it is older than the field.
    if (field.current && document.activeElement !== field.current) field.current.value = text
  }, [text, field])
  useEffect(() => () => clearTimeout(timer.current), [])
  const search = ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => replaceRoute({ query: { q: value } }), searchDelayMs)
  }
  return (
    <input
      ref={field}
      type="search"
      class="search grows"
      aria-label={label}
      placeholder={placeholder}
      spellcheck={false}
      autocomplete="off"
      onInput={search}
    />
  )
}
