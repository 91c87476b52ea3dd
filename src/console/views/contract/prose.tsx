/** Shows a text of the contract, in which code stands between backticks. */
export function Prose({ text }: { readonly text: string }) {
  if (text === '') return null
  return (
    <span class="prose">
      {text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </span>
  )
}

/** The decisions where the description of the service is silent, with their reasons. */
export function Assumptions({ texts }: { readonly texts: readonly string[] }) {
  return (
    <>
      {texts.map((text) => (
        <p key={text} class="assumption">
          <b>Assumed</b> <Prose text={text} />
        </p>
      ))}
    </>
  )
}
