import type { Named, OperationCoverage } from '../coverage-view.ts'
import { partsOf } from '../labels.ts'

interface Group {
  readonly title: string
  readonly kinds: readonly Named['point']['kind'][]
}

/** The points of an operation by what they are about. */
const groups: readonly Group[] = [
  { title: 'Statuses', kinds: ['status'] },
  { title: 'Parameters', kinds: ['parameter', 'parameter-value'] },
  { title: 'Request body', kinds: ['field', 'field-value'] },
  { title: 'Values in answers', kinds: ['answer-value'] },
  { title: 'Null or not', kinds: ['null', 'not-null'] },
]

/** What was met of an operation and what was not, at one glance: a line for each field, a chip for each of its points. */
export function pointGroups({ covered, missing }: OperationCoverage): string {
  const met = new Set(covered.map(({ number }) => number))
  const all = [...covered, ...missing].sort((a, b) => a.number - b.number)
  return groups
    .map(({ title, kinds }) => {
      const own = all.filter(({ point }) => kinds.includes(point.kind))
      const lines = [...bySubject(own)].map(([subject, points]) => line(subject, points, met))
      return lines.length === 0 ? '' : `<h4>${title}</h4>\n<ul class="fields">\n${lines.join('\n')}\n</ul>`
    })
    .filter((group) => group !== '')
    .join('\n')
}

function bySubject(points: readonly Named[]): ReadonlyMap<string, readonly Named[]> {
  const groups = new Map<string, Named[]>()
  for (const one of points) {
    const { subject } = partsOf(one.point)
    groups.set(subject, [...(groups.get(subject) ?? []), one])
  }
  return groups
}

function line(subject: string, points: readonly Named[], met: ReadonlySet<number>): string {
  const chips = points.map(({ number, point }) => {
    const state = escaped(partsOf(point).state)
    return met.has(number) ? `<b>${state}</b>` : `<i>${state}</i>`
  })
  const name = subject === '' ? '' : `<code>${escaped(subject)}</code>`
  return `<li>${name}<span>${chips.join('')}</span></li>`
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as HTML shows it; control characters mean nothing to a reader, and some turn the direction of what follows. */
export function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
