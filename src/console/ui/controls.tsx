import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useCommands } from '../store/commands.ts'
import { announcement, showProblem } from '../store/notices.ts'
import { replaceRoute, route } from '../store/route.ts'

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'label' | 'type'> & { readonly label: ComponentChildren }

export const Button = ({ label, ...attributes }: ButtonProps) => (
  <button type="button" {...attributes}>
    {label}
  </button>
)

interface CopyButtonProps {
  readonly label: string
  /** The text, or a function that provides it. The function resolves to undefined after showing a problem. */
  readonly text: string | (() => Promise<string | undefined>)
  /** The tooltip and accessible name of the button, if the label alone is unclear: `Copy as curl`. */
  readonly title?: string
  readonly isDisabled?: boolean
}

/** A button that copies text to the clipboard. Its label and a screen-reader announcement confirm the copy. */
export function CopyButton({ label, text, title, isDisabled = false }: CopyButtonProps) {
  const isCopied = useSignal(false)
  const copy = async () => {
    const content = typeof text === 'string' ? text : await text()
    if (content === undefined) return
    if (!(await copyText(content))) return showProblem('The text was not copied: the browser blocks clipboard access.')
    isCopied.value = true
    announcement.value = 'Copied'
    setTimeout(() => {
      isCopied.value = false
      announcement.value = ''
    }, 1_600)
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

/** Copies text to the clipboard. Resolves to false if the browser does not allow it. */
async function copyText(text: string): Promise<boolean> {
  // Browsers provide the clipboard API only over HTTPS and on localhost.
  if (!navigator.clipboard) return copyBySelection(text)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea')
  field.value = text
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  return isCopied
}

interface FieldFormProps {
  readonly label: string
  /** The current value. If it is omitted, the field is empty initially and after each accepted change. */
  readonly value?: string
  readonly action: string
  /** Applies the value. Resolves to undefined if the value is rejected; the field then keeps the typed text. */
  readonly change: (value: string) => Promise<unknown>
  readonly field?: JSX.IntrinsicElements['input']
}

export function FieldForm({ label, value = '', action, change, field }: FieldFormProps) {
  const draft = useSignal<string | undefined>(undefined)
  const submit = async (event: Event) => {
    event.preventDefault()
    if ((await change((draft.value ?? value).trim())) !== undefined) draft.value = undefined
  }
  return (
    <form class="inline-form wraps" onSubmit={submit}>
      <input
        aria-label={label}
        title={label}
        autocomplete="off"
        spellcheck={false}
        {...field}
        value={draft.value ?? value}
        onInput={({ currentTarget }) => (draft.value = currentTarget.value)}
      />
      <button type="submit">{action}</button>
    </form>
  )
}

export const seedField = {
  class: 'seed',
  required: true,
  pattern: '[!-~]{1,64}',
  title: 'At most 64 printable ASCII characters, without spaces.',
} as const

interface SelectProps extends Pick<JSX.IntrinsicElements['select'], 'id' | 'aria-label' | 'onFocus'> {
  readonly value: string
  readonly options: readonly (readonly [value: string, label: ComponentChildren, title?: string])[]
  readonly choose: (value: string) => void
}

export const Select = ({ value, options, choose, ...attributes }: SelectProps) => (
  <select {...attributes} value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
    {options.map(([name, label, title]) => (
      <option key={name} value={name} title={title} selected={name === value}>
        {label}
      </option>
    ))}
  </select>
)

/** The search field for a list. The text is copied to the URL soon after the last keystroke. `/` focuses the field. */
export function SearchField({ label, placeholder }: { label: string; placeholder: string }) {
  const text = route.value.query['q'] ?? ''
  const field = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => {
    // A link may have changed the text in the URL. A focused field keeps its text, since the user may be typing.
    if (field.current && document.activeElement !== field.current) field.current.value = text
  }, [text])
  useEffect(() => () => clearTimeout(timer.current), [])
  useCommands([{ title: label, key: '/', run: () => field.current?.focus() }], [])
  const search = ({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => replaceRoute({ query: { q: value } }), 150)
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
