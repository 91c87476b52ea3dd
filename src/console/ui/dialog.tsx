import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

/** Properties of `Dialog`. */
export interface DialogProps {
  readonly title: string
  /** True: the title is only for those who cannot see the dialog. */
  readonly hidesTitle?: boolean
  /** Called when the user closes the dialog, with Escape or beside it. Absent: it cannot be closed so. */
  readonly onClose?: () => void
  readonly children: ComponentChildren
}

/** A modal dialog: it holds the focus while it is shown, and returns it to where it was. */
export function Dialog({ title, hidesTitle = false, onClose, children }: DialogProps) {
  const id = useId()
  const element = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  const close = (event: Event) => {
    event.preventDefault()
    onClose?.()
  }
  const closeBeside = (event: Event) => {
    if (event.target === element.current) onClose?.()
  }
  return (
    <dialog ref={element} aria-labelledby={id} onCancel={close} onPointerDown={closeBeside}>
      <div class="dialog-content">
        <h2 id={id} class={hidesTitle ? 'hidden' : undefined}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  )
}
