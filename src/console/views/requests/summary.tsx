import type { ResponseOf } from '../../api/call.ts'
import { valueOrNotice } from '../../store/notices.ts'
import { replaceRoute, sandbox } from '../../store/route.ts'
import { baseUrlOf, refreshSandboxes } from '../../store/server.ts'
import { useResponse } from '../../store/use-response.ts'
import { Button, CopyButton } from '../../ui/controls.tsx'
import { pluralize } from '../../ui/text.tsx'
import { changeRules, nameRule } from '../scenarios/rules.ts'
import { listDownloads } from './downloads.ts'
import { hasTerms, toggleTerms } from './search.ts'

/** The toolbar above the list of requests: filters, active rules, downloads and the base URL. */
export function Summary({ text }: { readonly text: string }) {
  const { value: report } = useResponse('/report', { query: { sandbox: sandbox.value }, followsTraffic: true })
  return (
    <div class="summary toolbar bar">
      {report && <b>{pluralize(report.requests, 'request')}</b>}
      <fieldset class="request-filters">
        <legend class="hidden">Show only</legend>
        {listFilters(report).map(([label, terms]) => (
          <Button
            label={label}
            key={terms}
            class="quiet"
            aria-pressed={hasTerms(text, terms)}
            onClick={() => replaceRoute({ query: { q: toggleTerms(text, terms) } })}
          />
        ))}
      </fieldset>
      {sandbox.value !== '*' && <ActiveRules key={sandbox.value} />}
      <span class="wraps last">
        Report
        {listDownloads().map(({ label, title, run }) => (
          <Button key={label} label={label} class="link" title={title} onClick={run} />
        ))}
        <code>{baseUrlOf(sandbox.value)}</code>
        <CopyButton label="Copy" title="Copy the base URL" text={baseUrlOf(sandbox.value)} />
      </span>
    </div>
  )
}

type Findings = { readonly findings: readonly { readonly count: number }[]; readonly further: number }

function listFilters(report: ResponseOf<'/report', 'get'> | undefined) {
  const total = (kind: 'violations' | 'retries' | 'advice') => {
    const { findings, further }: Findings = report?.[kind] ?? { findings: [], further: 0 }
    return findings.reduce((sum, finding) => sum + finding.count, further)
  }
  return [
    ['Refused', 'status:4xx status:5xx'],
    [pluralize(total('violations'), 'violation'), 'has:violation'],
    [pluralize(total('retries'), 'retry problem'), 'has:retry'],
    [`${pluralize(total('advice'), 'piece')} of advice`, 'has:advice'],
    ['With a scenario', 'has:scenario'],
  ] as const
}

/** Shows the number of active rules, and the sandbox's first three active rules with buttons to switch them off. */
function ActiveRules() {
  const { value, reload } = useResponse('/scenarios', { query: { sandbox: sandbox.value }, followsTraffic: true })
  const { rules = [], startup = [] } = value ?? {}
  const active = rules.map((rule, index) => ({ rule, index })).filter(({ rule }) => rule.enabled !== false)
  const total = active.length + startup.length
  if (total === 0) return null
  const switchOff = async (index: number) => {
    const edit = changeRules(rules, (all) => all.map((rule, at) => (at === index ? { ...rule, enabled: false } : rule)))
    await valueOrNotice(edit, `Rule ${index + 1} was switched off. You can switch it on again in the Scenarios view.`)
    await Promise.all([reload(), refreshSandboxes()])
  }
  return (
    <p class="wraps">
      {`${pluralize(total, 'active rule')}${active.length > 0 ? ':' : ''}`}
      {active.slice(0, 3).map(({ rule, index }) => (
        <span key={index}>
          <code>{nameRule(rule).slice(0, 40)}</code>{' '}
          <Button
            label="Switch off"
            class="link"
            aria-label={`Switch off rule ${index + 1}: ${nameRule(rule)}`}
            onClick={() => void switchOff(index)}
          />
        </span>
      ))}
    </p>
  )
}
