import { brandMark } from '../../../reports/formats/html.ts'
import { escapeHtml } from '../../../reports/formats/html-coverage.ts'
import { styleSource, stylesheet } from '../../../reports/formats/html-stylesheet.ts'
import { describeRun } from '../../../reports/reported-run.ts'
import { describePlainRun } from '../../report/suite-report.ts'
import { describeStep } from '../candidate.ts'
import {
  describeHuntFinding,
  describeNeed,
  describeShrinking,
  type HuntFinding,
  type HuntReport,
  summarizeHunt,
} from '../hunt-report.ts'

/** Renders the outcome of a hunt as a self-contained page without scripts, in the look of the console. */
export function renderHuntHtml(report: HuntReport): string {
  const { contract, run, end, finding, failed } = report
  const isGood = !finding && end !== 'red-plain-run' && failed.length === 0
  const title = 'Faults that break the test suite'
  const paragraphs = (lines: readonly string[], style: string) =>
    lines.map((line) => `<p class="${style}">${escapeHtml(line)}</p>`).join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${styleSource(stylesheet)}">
<title>${escapeHtml(`${contract.title}: ${title}`)}</title>
<style>${stylesheet}</style>
</head>
<body>
<header>
<p class="kicker"><b>${brandMark}convsim</b> ${escapeHtml(contract.title)} <span>${escapeHtml(contract.version)}</span></p>
<h1>${title}</h1>
<p class="verdict ${isGood ? 'good' : 'bad'}">${finding ? 'Found' : 'Nothing found'}</p>
${paragraphs([describePlainRun(report), ...summarizeHunt(report)], 'summary')}
${paragraphs(
  failed.map((sentence) => `--fail-on: ${sentence}.`),
  'summary',
)}
<p class="requests">${describeRun(run).map(escapeHtml).join(' · ')}</p>
</header>
<main>
${finding ? renderFinding(finding, report) : ''}
</main>
</body>
</html>
`
}

function renderFinding(finding: HuntFinding, report: HuntReport): string {
  const { candidate, file, repeat, lastLines, requests } = finding
  return `<section id="findings">
<h2>Found</h2>
<ol class="findings">
<li><h3>${candidate.map((step) => escapeHtml(describeStep(step))).join('<br>')}</h3>
<p>${escapeHtml(`${describeHuntFinding(finding, report)} ${describeNeed(finding)}`)}</p>
${file === undefined ? '' : `<pre>${escapeHtml(repeat)}</pre>`}
<p>${escapeHtml(describeShrinking(finding))}</p>
${renderLines('output', lastLines)}
${renderLines('requests', requests)}</li>
</ol>
</section>`
}

function renderLines(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  return `<details><summary>${title}</summary><pre>${lines.map(escapeHtml).join('\n')}</pre></details>`
}
