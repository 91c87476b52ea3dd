import { cutText } from '../core/cut-text.ts'
import { escapeControls } from '../core/escape-controls.ts'
import type { DriftFinding, DriftReport, DriftVerdict, NotJudged } from './finding.ts'
import { findingKinds } from './observation.ts'

/** The verdicts in words. */
export const verdicts: Readonly<Record<DriftVerdict, string>> = {
  same: 'The real service is as the contract says.',
  drift: 'The real service differs from the contract.',
  'not-judged': 'Too little is known to judge whether the real service is as the contract says.',
}

/** The most characters that are shown of a pointer or a request, which can be as long as the traffic. */
export const maxShown = 500

/** Names the place of a finding: `getModelAnalytics 200 /recommendations/healthLevel`, `getModelAnalytics 418`. */
export function describePlace({ operation, status, pointer }: DriftFinding): string {
  return escapeControls(`${operation.id} ${status}${pointer === '' ? '' : ` ${cutText(pointer, maxShown)}`}`)
}

/** Describes a finding in sentences: `must be a string; got null. Seen in 2 of 9 answers; breaks clients.` */
export function describeFinding({ kind, message, seen, of, breaks, isDrift }: DriftFinding): string {
  const effect = breaks ? 'breaks clients' : isDrift ? 'breaks no client' : 'a note'
  return `${findingKinds[kind]}: ${message}. Seen in ${seen} of ${of} answers; ${effect}.`
}

/** Describes the first answer that shows a finding: `GET /v1/models/ID/analytics: "archived"`. */
export function describeSample({ sample: { request, value } }: DriftFinding): string {
  const shown = cutText(request, maxShown)
  return value === undefined ? shown : `${shown}: ${value}`
}

/** Describes the reason why something is not judged: `not-probed (GET /v1/events): A POST writes. ...`. */
export function describeNotJudged({ reason, request, count, sentence }: NotJudged): string {
  const times = count > 1 ? `, ${count} requests` : ''
  const first = request === undefined ? '' : ` (${cutText(request, maxShown)}${times})`
  return `${reason}${first}: ${sentence}`
}

/** Summarizes a report in one line: `drift: 3 differences, 1 note; 9 answers of getModelAnalytics judged.` */
export function summarizeDrift({ verdict, findings, omitted, judged }: DriftReport): string {
  const listed = findings.filter(({ isDrift }) => isDrift).length
  const notes = findings.length - listed
  const answers = [...judged].map(([operation, count]) => `${pluralize(count, 'answer')} of ${operation}`)
  const bound = omitted > 0 ? ` (${listed} listed, those that break clients first)` : ''
  const noted = notes > 0 ? `, ${pluralize(notes, 'note')}` : ''
  // Refusals are compared, too, and are not enough for a judgement.
  const done = verdict === 'not-judged' ? 'compared' : 'judged'
  const differences = pluralize(listed + omitted, 'difference') + bound + noted
  return `${verdict}: ${differences}; ${answers.join(', ') || 'no answer'} ${done}.`
}

function pluralize(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}
