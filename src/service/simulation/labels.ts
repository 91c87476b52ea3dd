import type { LabelScore } from './analytics.ts'
import type { LabelField } from './persona.ts'

/** The scores with one label: from the end of the band before up to `below`, which is in the band if `closed`. */
export interface LabelBand {
  readonly label: string
  readonly below: number
  readonly closed?: boolean
}

const strain = [
  { label: 'none', below: 0.2 },
  { label: 'low', below: 0.4 },
  { label: 'moderate', below: 0.6 },
  { label: 'high', below: 0.8 },
  { label: 'severe', below: 1, closed: true },
] as const

export const LABEL_BANDS = {
  averageUserSentiment: [
    { label: 'very_negative', below: 0.2 },
    { label: 'negative', below: 0.4 },
    { label: 'neutral', below: 0.6 },
    { label: 'positive', below: 0.8 },
    { label: 'very_positive', below: 1, closed: true },
  ],
  averageChangeInUserSentiment: [
    { label: 'declined', below: -0.3 },
    { label: 'slightly_declined', below: -0.05 },
    { label: 'unchanged', below: 0.05, closed: true },
    { label: 'slightly_improved', below: 0.3, closed: true },
    { label: 'improved', below: 1, closed: true },
  ],
  averageFrustration: strain,
  averageStruggle: strain,
  averageCommercialIntent: [
    { label: 'none', below: 0.25 },
    { label: 'low', below: 0.5 },
    { label: 'medium', below: 0.75 },
    { label: 'high', below: 1, closed: true },
  ],
} as const satisfies Record<LabelField, readonly LabelBand[]>

export function labelScore(field: LabelField, score: number): LabelScore {
  const bands: readonly LabelBand[] = LABEL_BANDS[field]
  const band = bands.find(({ below, closed }) => score < below || (closed === true && score === below))
  if (band === undefined) throw new Error(`${field} cannot be ${score}`)
  return { label: band.label, score }
}
