/** Returns the tone of a status, a class of the stylesheet. */
export function toneOf(status: number): 'good' | 'warn' | 'bad' | 'faint' {
  if (status >= 500) return 'bad'
  if (status >= 400) return 'warn'
  return status >= 200 && status < 300 ? 'good' : 'faint'
}

/** Shows a status with the colour and the shape of its class. */
export function Status({ code }: { readonly code: number }) {
  return <span class={`status nowrap ${toneOf(code)}`}>{code}</span>
}

const shapes = { violation: '✕', advice: '△', damage: '⚡︎', good: '✓', neutral: '○' } as const

/** A small label with colour and shape, for violations, advice, damage, what is well, and plain facts. */
export function Mark({ kind, text, title }: { kind: keyof typeof shapes; text: string; title?: string }) {
  return (
    <span class={`mark small nowrap ${kind}`} title={title}>
      <span aria-hidden="true">{shapes[kind]}</span> {text}
    </span>
  )
}
