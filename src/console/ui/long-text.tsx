import { useSignal } from '@preact/signals'

/** A text that is cut after `maxShown` characters, with a button that shows all of it. */
export function LongText({ text, maxShown = 500 }: { text: string; maxShown?: number }) {
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
