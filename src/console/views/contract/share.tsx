import type { Schema } from '../../api/answers.ts'

/** The share of the items that clients have met, as a bar and in words. */
export function Share({ share: { met, points, percent } }: { readonly share: Schema<'Share'> }) {
  return (
    <span class="share">
      <span class="share-bar" aria-hidden="true">
        <i style={{ width: `${percent}%` }} />
      </span>
      {met} of {points} met
    </span>
  )
}
