import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { announce, showProblem } from '../store/notices.ts'

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
