import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'

interface FieldFormProps {
  readonly label: string
  /** The present value; absent: the field is empty at first, and after each change. */
  readonly value?: string
  /** The words on the button. */
  readonly action: string
  /** Resolves to false where the value is refused; what was typed then stays. */
  readonly change: (value: string) => Promise<boolean>
  /** Attributes of the field: its type, its bounds, its placeholder. */
  readonly field?: JSX.IntrinsicElements['input']
}

/** A form of one field, whose value counts only when its button is pressed. */
export function FieldForm({ label, value = '', action, change, field }: FieldFormProps) {
  const typed = useSignal<string | undefined>(undefined)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (await change((typed.value ?? value).trim())) typed.value = undefined
  }
  return (
    <form class="inline-form wraps" onSubmit={(event) => void submit(event)}>
      <input
        aria-label={label}
        title={label}
        autocomplete="off"
        spellcheck={false}
        {...field}
        value={typed.value ?? value}
        onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
      />
      <button type="submit">{action}</button>
    </form>
  )
}

/** The attributes of a field for a seed. */
export const seedField = {
  class: 'seed',
  required: true,
  pattern: '[!-~]{1,64}',
  title: 'At most 64 letters, digits and signs without a space.',
} as const
