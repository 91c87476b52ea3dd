import { useSignal } from '@preact/signals'

/** Properties of `LongText`. */
export interface LongTextProps {
  readonly text: string
  /** The most characters that are shown before a click; a text of megabytes would be all of the page. Default: 500. */
  readonly maxShown?: number
}

/** A text that is cut where it is long, with a button that shows all of it. */
export function LongText({ text, maxShown = 500 }: LongTextProps) {
  const isWhole = useSignal(false)
  if (isWhole.value || text.length <= maxShown) return <>{text}</>
  return (
    <>
      {text.slice(0, maxShown)}…{' '}
      <button type="button" class="quiet" onClick={() => (isWhole.value = true)}>
        Show all {text.length.toLocaleString('en')} characters
      </button>
    </>
  )
}
