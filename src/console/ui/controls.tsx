import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { announce, showProblem } from '../store/notices.ts'
import { replaceRoute, route } from '../store/route.ts'

interface ButtonProps extends Omit<JSX.IntrinsicElements['button'], 'label' | 'type'> {
  readonly label: ComponentChildren
}

export const Button = ({ label, ...attributes }: ButtonProps) => (
  <button type="button" {...attributes}>
    {label}
  </button>
)

const copiedMs = 1_600

interface CopyButtonProps {
  readonly label: string
  /** The text, or a function that makes it; undefined: it could not be made, and the user knows why. */
  readonly text: string | (() => Promise<string | undefined>)
  /** The name of the button where its words do not say enough: `Copy as curl`. */
  readonly title?: string
  readonly isDisabled?: boolean
}

/** A button that copies a text to the clipboard. Its words say so for a while, which is announced beside its name. */
export function CopyButton({ label, text, title, isDisabled = false }: CopyButtonProps) {
  const isCopied = useSignal(false)
  const copy = async () => {
    const made = typeof text === 'string' ? text : await text()
    if (made === undefined || !(await copyText(made))) return
    isCopied.value = true
    announce('Copied')
    setTimeout(() => {
      isCopied.value = false
    }, copiedMs)
  }
  return (
    <Button
      label={isCopied.value ? 'Copied' : label}
      class="quiet copy"
      disabled={isDisabled}
      onClick={copy}
      title={title}
      aria-label={title ?? label}
    />
  )
}

/** Copies a text to the clipboard. Returns false, and shows why, where the browser refuses. */
async function copyText(text: string): Promise<boolean> {
  try {
    // Browsers have a clipboard only on https, and on this machine.
    if (navigator.clipboard) await navigator.clipboard.writeText(text)
    else copyBySelection(text)
    return true
  } catch {
    showProblem('The browser does not let this page use the clipboard.')
    return false
  }
}

function copyBySelection(text: string): void {
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (!isCopied) throw new Error('the browser refuses')
}

interface FieldFormProps {
  readonly label: string
  /** The present value; absent: the field is empty at first, and after each change. */
  readonly value?: string
  readonly action: string
  /** Resolves to false where the value is refused; what was typed then stays. */
  readonly change: (value: string) => Promise<boolean>
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
    <form class="inline-form wraps" onSubmit={submit}>
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

export const seedField = {
  class: 'seed',
  required: true,
  pattern: '[!-~]{1,64}',
  title: 'At most 64 letters, digits and signs without a space.',
} as const

interface SelectProps extends Pick<JSX.IntrinsicElements['select'], 'id' | 'aria-label' | 'onFocus'> {
  readonly value: string
  /** The values with their words on the page. */
  readonly options: readonly (readonly [value: string, words: ComponentChildren, title?: string])[]
  readonly choose: (value: string) => void
}

export const Select = ({ value, options, choose, ...attributes }: SelectProps) => (
  <select {...attributes} value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
    {options.map(([one, words, title]) => (
      <option key={one} value={one} title={title} selected={one === value}>
        {words}
      </option>
    ))}
  </select>
)

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
