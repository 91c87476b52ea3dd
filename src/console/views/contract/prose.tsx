import type { Schema } from '../../api/answers.ts'

/** Shows a text of the contract, in which code stands between backticks. */
export function Prose({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
}

/** The decisions where the description of the service is silent, with their reasons. */
export function Assumptions({ texts }: { readonly texts: readonly string[] }) {
  return (
    <>
      {texts.map((text) => (
        <p key={text} class="assumption faint small">
          <b>Assumed</b> <Prose text={text} />
        </p>
      ))}
    </>
  )
}

/** The share of the items that clients have met, as a bar and in words. */
export function Share({ share: { met, points, percent } }: { readonly share: Schema<'Share'> }) {
  return (
    <span class="share bar faint small nowrap">
      <meter value={percent} max={100} aria-hidden="true" />
      {met} of {points} met
    </span>
  )
}
