import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  readonly title: string
  /** True if the title is only for screen readers. */
  readonly hidesTitle?: boolean
  /** Called when the user closes the dialog. If `onClose` is omitted, the user cannot close the dialog. */
  readonly onClose?: () => void
  readonly children: ComponentChildren
}

export function Dialog({ title, hidesTitle = false, onClose, children }: DialogProps) {
  const id = useId()
  const element = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => {
      element.current = null
      dialog?.close()
    }
  }, [])
  const afterClose = () => {
    if (element.current?.open !== false) return
    if (onClose) onClose()
    else element.current.showModal()
  }
  const closeOnBackdrop = (event: Event) => {
    if (event.target === element.current) onClose?.()
  }
  return (
    <dialog ref={element} class="box" aria-labelledby={id} onClose={afterClose} onPointerDown={closeOnBackdrop}>
      <div class="dialog-content stack">
        <h2 id={id} class={hidesTitle ? 'hidden' : undefined}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  )
}
