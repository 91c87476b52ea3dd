import type { AnswerOf } from '../../api/answers.ts'
import { hrefOf } from '../../store/route.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Mark } from '../../ui/status.tsx'
import { addPause } from '../requests/manners.ts'

/** The rules of manners, those that a client broke first, each with the findings. */
export function Rules({ manners }: { readonly manners: AnswerOf<'/manners', 'get'> }) {
  const { rules, findings, further } = manners
  const listed = Object.entries(rules).map(([rule, sentence]) => {
    const found = findings.filter((finding) => finding.rule === rule)
    return { rule, sentence, found, count: found.reduce((sum, { count }) => sum + count, 0) }
  })
  listed.sort((a, b) => Number(b.count > 0) - Number(a.count > 0))
  return (
    <aside class="manners" aria-label="Manners">
      <h2>Manners</h2>
      {listed.map(({ rule, sentence, found, count }) => (
        <section key={rule} class={count > 0 ? 'broken' : undefined}>
          <h3>
            <code>{rule}</code>{' '}
            {count === 0 ? (
              <Mark kind="good" text="not broken" />
            ) : (
              <Mark kind="violation" text={count === 1 ? 'once' : `${count} times`} />
            )}
          </h3>
          <p class="faint">{sentence}</p>
          {found.map(({ sentence: fault, operation, requests, waitedMs, first }) => (
            <p key={requests.join()} class="finding">
              {addPause(fault, waitedMs)} <span class="faint">{operation}</span>{' '}
              {requests.map((id) => (
                <>
                  <a key={id} href={hrefOf({ view: 'requests', id })}>
                    {id}
                  </a>{' '}
                </>
              ))}
              {first.curl !== undefined && (
                <CopyButton label="curl" title="Copy the request as curl" text={first.curl} />
              )}
            </p>
          ))}
        </section>
      ))}
      {further > 0 && <p class="faint">{further} further findings are only counted.</p>}
    </aside>
  )
}
