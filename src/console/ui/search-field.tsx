import { replaceRoute, route } from '../store/route.ts'

/** Properties of `SearchField`. */
export interface SearchFieldProps {
  /** `Search events`. */
  readonly label: string
  /** An example of what can be searched. */
  readonly placeholder: string
  readonly field: { current: HTMLInputElement | null }
}

/** The field of a list's search, whose text is kept in the address. Escape leaves it. */
export function SearchField({ label, placeholder, field }: SearchFieldProps) {
  return (
    <input
      ref={field}
      type="search"
      class="search"
      aria-label={label}
      placeholder={placeholder}
      spellcheck={false}
      autocomplete="off"
      value={route.value.query['q'] ?? ''}
      onInput={({ currentTarget }) => replaceRoute({ query: { q: currentTarget.value } })}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Escape') currentTarget.blur()
      }}
    />
  )
}
