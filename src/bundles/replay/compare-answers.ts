import { isObject, isSameJson, type Json } from '../../core/json.ts'
import { joinPointer, valueAtTokens } from '../../core/json-pointer.ts'
import { cutText } from '../../core/text.ts'
import { computeBodyDigest } from '../../journal/capture-body.ts'
import type { RecordedBody } from '../../journal/entry.ts'
import { parseBoundedJson } from '../../journal/entry-json.ts'
import type { BundledAnswer, BundledBody } from '../bundle.ts'

/** A part of an answer that differs between the recording and the replay. */
export interface AnswerDifference {
  /** The part of the answer: `status`, `header/x-sim-origin`, `body/messageCount`, `delayMs`, `state/events/0`. */
  readonly part: string
  /** The recorded value, cut to some characters; null for none. */
  readonly expected: Json
  /** The value of the replay; null for none. */
  readonly actual: Json
}

/** The result of a comparison. */
interface AnswerComparison {
  readonly differences: readonly AnswerDifference[]
  /** The reason why a part could not be compared; undefined: all parts were. */
  readonly uncompared?: string
}

/** Compares a recorded answer with that of a replay. `actualBody`: the body that the replay's journal has. */
export function compareAnswers(
  expected: BundledAnswer,
  actual: BundledAnswer,
  actualBody: RecordedBody,
): AnswerComparison {
  const isDamaged = ({ delivery }: BundledAnswer) => delivery === 'damaged'
  const pairs: readonly (readonly [part: string, expected: Json, actual: Json])[] = [
    ['status', expected.status, actual.status],
    ...headerPairs(expected.headers, actual.headers),
    ['stage', expected.stage, actual.stage],
    ['origin', expected.origin, actual.origin],
    ['scenarios', expected.scenarios.join(', '), actual.scenarios.join(', ')],
    ['damage', expected.damage.join(', '), actual.damage.join(', ')],
    ['delayMs', expected.delayMs, actual.delayMs],
    // The client may have left, or the simulator stopped, before the delivery of the same bytes ended.
    ['delivery/damaged', isDamaged(expected), isDamaged(actual)],
  ]
  const differences = pairs.flatMap(([part, one, other]) =>
    one === other ? [] : [{ part, expected: cutValue(one), actual: cutValue(other) }],
  )
  const body = compareBodies(expected.body, actual.body, actualBody)
  return { ...body, differences: [...differences, ...body.differences] }
}

function headerPairs(
  expected: BundledAnswer['headers'],
  actual: BundledAnswer['headers'],
): (readonly [string, Json, Json])[] {
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)])
  return [...names].map((name) => [`header/${name.toLowerCase()}`, expected[name] ?? null, actual[name] ?? null])
}

function compareBodies(expected: BundledBody, actual: BundledBody, actualBody: RecordedBody): AnswerComparison {
  const { sha256, size, text, base64, redacted } = expected
  if (sha256 === undefined && size > 0 && text === undefined && base64 === undefined)
    return { differences: [], uncompared: "the bytes of its answer's body are not in the bundle" }
  const isSame =
    sha256 === undefined
      ? // A redacted body has another size than the one that was sent.
        (redacted || size === actual.size) && contentOf(expected) === contentOf(actual)
      : sha256 === (actualBody.digest ?? computeBodyDigest(actualBody.latin1 ?? ''))
  return { differences: isSame ? [] : [describeBodyDifference(expected, actual)] }
}

const contentOf = ({ text, base64 }: BundledBody) => text ?? base64 ?? ''

/** Describes the first difference of two bodies: a member of JSON, or a byte. */
function describeBodyDifference(expected: BundledBody, actual: BundledBody): AnswerDifference {
  const [one, other] = [contentOf(expected), contentOf(actual)]
  const [oneJson, otherJson] = [parseBoundedJson(one), parseBoundedJson(other)]
  const first =
    oneJson === undefined || otherJson === undefined ? undefined : findFirstDifference(oneJson, otherJson, '')
  if (first) return { ...first, part: `body${first.part}` }
  if (one === '') return { part: 'body', expected: `sha256 ${expected.sha256 ?? ''}`, actual: cutValue(other) }
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return { part: `body at character ${at}`, expected: cutValue(one.slice(at)), actual: cutValue(other.slice(at)) }
}

/** Finds the first difference between two JSON values, whose part is a JSON pointer, or undefined if they are equal. */
export function findFirstDifference(expected: Json, actual: Json, pointer: string): AnswerDifference | undefined {
  if (isSameJson(expected, actual)) return undefined
  const names = memberNames(expected, actual)
  for (const name of names) {
    const [one, other] = [valueAtTokens(expected, [name]), valueAtTokens(actual, [name])]
    if (one !== undefined && other !== undefined && isSameJson(one, other)) continue
    const at = joinPointer(pointer, name)
    if (one === undefined || other === undefined)
      return { part: at, expected: cutValue(one ?? null), actual: cutValue(other ?? null) }
    return findFirstDifference(one, other, at)
  }
  return { part: pointer, expected: cutValue(expected), actual: cutValue(actual) }
}

function memberNames(one: Json, other: Json): readonly string[] {
  const isAlike = (isObject(one) && isObject(other)) || (Array.isArray(one) && Array.isArray(other))
  return isAlike ? [...new Set([...Object.keys(one), ...Object.keys(other)])] : []
}

/** Returns a value as a report shows it: text that is not too long. */
function cutValue(value: Json): Json {
  if (typeof value === 'string') return cutText(value, 200)
  if (typeof value !== 'object' || value === null) return value
  return cutText(JSON.stringify(value), 200)
}
