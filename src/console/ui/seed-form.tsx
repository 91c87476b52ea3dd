import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'

/** Properties of `SeedField`. */
export interface SeedFieldProps {
  readonly label: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly placeholder?: string
  readonly required?: boolean
}

/** A field for a seed. */
export function SeedField({ label, value, onValue, placeholder = '', required = false }: SeedFieldProps) {
  return (
    <input
      class="seed"
      aria-label={label}
      placeholder={placeholder}
      required={required}
      pattern="[!-~]{1,64}"
      title="At most 64 letters, digits and signs without a space."
      autocomplete="off"
      spellcheck={false}
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  )
}

/** Properties of `SeedForm`. */
export interface SeedFormProps {
  /** The present seed. */
  readonly seed: string
  /** Resolves to false where the seed is refused; what was typed then stays. */
  readonly change: (seed: string) => Promise<boolean>
  /** The words on the button. */
  readonly action: string
  readonly class: string
  /** Shown before the field. */
  readonly caption?: ComponentChildren
  /** Shown behind the button. */
  readonly children?: ComponentChildren
}

/** A form that changes a seed with a button, since each seed is another world. */
export function SeedForm({ seed, change, action, class: name, caption, children }: SeedFormProps) {
  const draft = useSignal<string | undefined>(undefined)
  const value = draft.value ?? seed
  const submit = async (event: Event) => {
    event.preventDefault()
    if (await change(value)) draft.value = undefined
  }
  return (
    <form class={name} onSubmit={(event) => void submit(event)}>
      {caption}
      <SeedField label="Seed" value={value} onValue={(typed) => (draft.value = typed)} required />
      <button type="submit" disabled={value === seed}>
        {action}
      </button>
      {children}
    </form>
  )
}
