import type { NamedItem, OperationCoverage } from '../coverage-view.ts'
import { splitLabel } from '../labels.ts'

interface Group {
  readonly title: string
  readonly kinds: readonly NamedItem['item']['kind'][]
}

/** The groups of an operation's coverage items, in the order of the page. */
const groups: readonly Group[] = [
  { title: 'Statuses', kinds: ['status'] },
  { title: 'Parameters', kinds: ['parameter', 'parameter-value'] },
  { title: 'Request body', kinds: ['field', 'field-value'] },
  { title: 'Values in answers', kinds: ['answer-value'] },
  { title: 'Null or not', kinds: ['null', 'not-null'] },
]

/** Renders the met and missing items of an operation: a line for each field, a chip for each of its items. */
export function renderItemGroups({ covered, missing }: OperationCoverage): string {
  const met = new Set(covered.map(({ index }) => index))
  const all = [...covered, ...missing].sort((a, b) => a.index - b.index)
  return groups
    .map(({ title, kinds }) => {
      const inGroup = all.filter(({ item }) => kinds.includes(item.kind))
      const lines = [...groupBySubject(inGroup)].map(([subject, items]) => renderLine(subject, items, met))
      return lines.length === 0 ? '' : `<h4>${title}</h4>\n<ul class="fields">\n${lines.join('\n')}\n</ul>`
    })
    .filter((group) => group !== '')
    .join('\n')
}

function groupBySubject(items: readonly NamedItem[]): ReadonlyMap<string, readonly NamedItem[]> {
  const bySubject = new Map<string, NamedItem[]>()
  for (const named of items) {
    const { subject } = splitLabel(named.item)
    bySubject.set(subject, [...(bySubject.get(subject) ?? []), named])
  }
  return bySubject
}

function renderLine(subject: string, items: readonly NamedItem[], met: ReadonlySet<number>): string {
  const chips = items.map(({ index, item }) => {
    const state = escapeHtml(splitLabel(item).state)
    return met.has(index) ? `<b>${state}</b>` : `<i>${state}</i>`
  })
  const name = subject === '' ? '' : `<code>${escapeHtml(subject)}</code>`
  return `<li>${name}<span>${chips.join('')}</span></li>`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes a text for HTML, and replaces control characters, some of which change the direction of the text that follows. */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
