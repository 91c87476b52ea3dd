import type { AnswerOf, Schema } from '../../api/answers.ts'
import { hrefOf } from '../../store/route.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/status.tsx'

/** The rules of manners, those that a client broke first, each with the findings. */
export function Rules({ manners }: { readonly manners: AnswerOf<'/manners', 'get'> }) {
  const { rules, findings, further } = manners
  const listed = Object.entries(rules).map(([rule, sentence]) => ({
    rule,
    sentence,
    found: findings.filter((finding) => finding.rule === rule),
  }))
  listed.sort((a, b) => Number(b.found.length > 0) - Number(a.found.length > 0))
  return (
    <aside class="manners" aria-label="Manners">
      <h2>Manners</h2>
      <ul>
        {listed.map(({ rule, sentence, found }) => (
          <li key={rule} class={found.length > 0 ? 'broken' : undefined}>
            <h3>
              {rule} <Verdict found={found} />
            </h3>
            <p>{sentence}</p>
            {found.map((finding) => (
              <Finding key={finding.requests.join()} finding={finding} />
            ))}
          </li>
        ))}
      </ul>
      {further > 0 && <p class="faint">{further} further findings are only counted.</p>}
    </aside>
  )
}

function Verdict({ found }: { readonly found: readonly Schema<'MannersFinding'>[] }) {
  const count = found.reduce((sum, finding) => sum + finding.count, 0)
  if (count === 0) return <Mark kind="good" text="not broken" />
  return <Mark kind="violation" text={count === 1 ? 'once' : `${count} times`} />
}

function Finding({ finding }: { readonly finding: Schema<'MannersFinding'> }) {
  const { sentence, operation, requests, waitedMs, first } = finding
  return (
    <div class="finding">
      <p>
        {sentence}
        {waitedMs !== undefined && ` It waited ${waitedMs.toLocaleString('en')} ms.`}
      </p>
      <p class="requests-of">
        {operation && <span class="faint">{operation}</span>}
        {requests.map((id) => (
          <a key={id} href={hrefOf({ view: 'requests', id })}>
            {id}
          </a>
        ))}
        {first.curl !== undefined && <CopyButton label="curl" title="Copy the request as curl" text={first.curl} />}
      </p>
    </div>
  )
}
