import { brandMark } from '../../../reports/formats/html.ts'
import { escapeHtml } from '../../../reports/formats/html-coverage.ts'
import { styleSource, stylesheet } from '../../../reports/formats/html-stylesheet.ts'
import { pluralize } from '../../../reports/report.ts'
import { describeRun } from '../../../reports/reported-run.ts'
import { listFindings, type SuiteFinding } from '../suite-findings.ts'
import {
  describeCaveats,
  describeGroup,
  describeNothing,
  describePlainRun,
  formatVerdict,
  type GroupSummary,
  isBad,
  type JudgedRun,
  type SuiteReport,
  summarizeGroups,
  summarizeRuns,
} from '../suite-report.ts'
import { describeFields, summarizeFields } from '../summarize-fields.ts'
import { isConclusive, verdicts } from '../verdict.ts'

/** The rules for the table of runs, which other reports do not have. */
const ownStyles = `
#verdicts p { margin-top: 4px; color: var(--ink); overflow-wrap: anywhere; }
.runs { margin-top: 8px; overflow-x: auto; border: 1px solid var(--line); border-radius: var(--radius); background: var(--paper); }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 4px 14px; border-bottom: 1px solid var(--line); text-align: left; font-weight: 400; }
td code { white-space: nowrap; overflow-wrap: normal; }
th { color: var(--faint); font-size: var(--small); }
tr:last-child td { border-bottom: 0; }
td.good { color: var(--good); } td.bad { color: var(--bad); font-weight: 600; } td.none::before { content: none; } td.none { color: var(--faint); }
`

const styles = stylesheet + ownStyles

/** Renders a report as a self-contained page without scripts, in the look of the console. */
export function renderHtml(report: SuiteReport): string {
  const { contract, runs } = report
  const findings = listFindings(report)
  const groups = summarizeGroups(runs)
  const title = `${contract.title}: faults against the test suite`
  const nothing = describeNothing(report)
  const isGood = findings.length === 0 && nothing === undefined
  const verdict =
    findings.length === 0
      ? (nothing ?? 'Nothing to complain about')
      : `${pluralize(findings.length, 'thing')} to look at`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${styleSource(styles)}">
<title>${escapeHtml(title)}</title>
<style>${styles}</style>
</head>
<body>
<header>
<p class="kicker"><b>${brandMark}convsim</b> ${escapeHtml(contract.title)} <span>${escapeHtml(contract.version)}</span></p>
<h1>Faults against the test suite</h1>
<p class="verdict ${isGood ? 'good' : 'bad'}">${escapeHtml(verdict)}</p>
<p class="summary">${escapeHtml(`${describePlainRun(report)} ${summarizeRuns(report)}`)}</p>
${report.failed.map((sentence) => `<p class="summary">--fail-on: ${escapeHtml(sentence)}.</p>\n`).join('')}<p class="requests">${describeRun(report.run).map(escapeHtml).join(' · ')}</p>
</header>
<main>
<ul class="figures">
${groups.map(renderCard).join('\n')}
</ul>
<section id="verdicts">
<h2>Verdicts</h2>
${[...groups.map(describeGroup), ...summarizeFields(runs).flatMap(describeFields), ...describeCaveats(report)].map((line) => `<p>${escapeHtml(line)}</p>`).join('\n')}
</section>
<section id="findings">
<h2>Findings</h2>
${findings.length === 0 ? `<p class="none">${escapeHtml(nothing ?? 'There are none.')}</p>` : `<ol class="findings">\n${findings.map(renderFinding).join('\n')}\n</ol>`}
</section>
<section id="runs">
<h2 id="runs-title">Runs</h2>
<div class="runs" role="region" aria-labelledby="runs-title" tabindex="0"><table>
<thead><tr><th>fault</th><th>operation</th><th>place</th><th>verdict</th></tr></thead>
<tbody>
${runs.map(renderRun).join('\n')}
</tbody>
</table></div>
</section>
</main>
<footer>Made by convsim from ${pluralize(runs.length, 'run')}.</footer>
</body>
</html>
`
}

function renderCard({ group, counts, percent, withClientFindings }: GroupSummary): string {
  const isGood = withClientFindings === 0 && verdicts.every((name) => counts[name] === 0 || !isBad(name))
  const share = percent === undefined ? '–' : `${percent}&nbsp;%`
  return `<li class="${isGood ? 'good' : 'bad'}"><a href="#verdicts"><b>${share}</b><span>good verdicts on ${escapeHtml(group)}</span></a></li>`
}

function renderFinding({ name, sentence, client, lastLines, requests, repeat }: SuiteFinding): string {
  return [
    `<li><h3>${escapeHtml(name)}</h3><p>${escapeHtml(sentence)}</p>`,
    ...client.map((line) => `<p>${escapeHtml(line)}</p>`),
    `<pre>${escapeHtml(repeat)}</pre>`,
    renderDetails('output', lastLines),
    renderDetails('requests', requests),
    '</li>',
  ].join('')
}

function renderDetails(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  return `<details><summary>${title}</summary><pre>${lines.map(escapeHtml).join('\n')}</pre></details>`
}

function renderRun({ run, verdict }: JudgedRun): string {
  const state = isBad(verdict) ? 'bad' : isConclusive(verdict) ? 'good' : 'none'
  const cells = [run.fault.name, run.operation, run.pointer ?? `request ${run.occurrence}`]
  return `<tr>${cells.map((cell) => `<td><code>${escapeHtml(cell)}</code></td>`).join('')}<td class="${state}">${formatVerdict(verdict)}</td></tr>`
}
