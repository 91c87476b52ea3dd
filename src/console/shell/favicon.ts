import { effect } from '@preact/signals'
import { unseenViolations } from '../store/unseen.ts'
import { currentView } from './current-view.ts'

/** Draws the page's icon; the mark is a disc at the upper right. */
function drawIcon(isMarked: boolean): string {
  const mark = isMarked ? '<circle cx="12" cy="4" r="4" fill="#d93025" stroke="#fff"/>' : ''
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#2b5fab"/>' +
    `<path d="M4 10V8m4 2V4m4 6V6" stroke="#fff" stroke-width="2" stroke-linecap="round"/>${mark}</svg>`
  return `data:image/svg+xml,${encodeURIComponent(svg)}`
}

/** Updates the title and icon of the page, which name the view and show that a violation happened unseen. */
export function keepTitleAndIcon(): void {
  effect(() => {
    const count = unseenViolations.value
    const { title } = currentView.value
    document.title = `${count > 0 ? `(${count}) ` : ''}${title} · convsim`
    document.querySelector('link[rel=icon]')?.setAttribute('href', drawIcon(count > 0))
  })
}
