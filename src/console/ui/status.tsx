/** The class of a status for the stylesheet: `ok`, `client`, `server` or `other`. */
export function statusKind(status: number): 'ok' | 'client' | 'server' | 'other' {
  if (status >= 500) return 'server'
  if (status >= 400) return 'client'
  return status >= 200 && status < 300 ? 'ok' : 'other'
}

/** Shows a status with the colour and the shape of its class. */
export function Status({ code }: { readonly code: number }) {
  return <span class={`status ${statusKind(code)}`}>{code}</span>
}

const shapes = { violation: '✕', advice: '△', damage: '⚡︎', good: '✓', neutral: '○' } as const

/** A small label with colour and shape, for violations, advice, damage, what is well, and plain facts. */
export function Mark({ kind, text, title }: { kind: keyof typeof shapes; text: string; title?: string }) {
  return (
    <span class={`mark small ${kind}`} title={title}>
      <span aria-hidden="true">{shapes[kind]}</span> {text}
    </span>
  )
}
