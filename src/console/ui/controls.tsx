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
  /** The text, or a function that creates it. It resolves to undefined after a failure that it has shown. */
  readonly text: string | (() => Promise<string | undefined>)
  /** The accessible name of the button, if its label does not say enough: `Copy as curl`. */
  readonly title?: string
  readonly isDisabled?: boolean
}

/** A button that copies a text to the clipboard. Its label and an announcement confirm it. */
export function CopyButton({ label, text, title, isDisabled = false }: CopyButtonProps) {
  const isCopied = useSignal(false)
  const copy = async () => {
    const made = typeof text === 'string' ? text : await text()
    if (made === undefined) return
    if (!(await copyText(made))) return showProblem('The browser does not let this page use the clipboard.')
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

/** Resolves to false if the browser refuses. */
async function copyText(text: string): Promise<boolean> {
  // Browsers offer the clipboard only on https and on localhost.
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
  /** The current value. Without one, the field is empty initially and after each change. */
  readonly value?: string
  readonly action: string
  /** Resolves to undefined if the value is refused; the typed text then stays. */
  readonly change: (value: string) => Promise<unknown>
  readonly field?: JSX.IntrinsicElements['input']
}

export function FieldForm({ label, value = '', action, change, field }: FieldFormProps) {
  const typed = useSignal<string | undefined>(undefined)
  const submit = async (event: Event) => {
    event.preventDefault()
    if ((await change((typed.value ?? value).trim())) !== undefined) typed.value = undefined
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
  title: 'At most 64 printable ASCII characters, without spaces.',
} as const

interface SelectProps extends Pick<JSX.IntrinsicElements['select'], 'id' | 'aria-label' | 'onFocus'> {
  readonly value: string
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

/** The search field of a list, whose text is stored in the address shortly after the last key. `/` focuses it. */
export function SearchField({ label, placeholder }: { label: string; placeholder: string }) {
  const text = route.value.query['q'] ?? ''
  const field = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => {
    // A link changed the address. While the user types, the field is newer than the address.
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
