import type { OperationCoverage } from '../coverage-view.ts'
import { countFindings, pluralize, type Report, summarizeReport } from '../report.ts'
import { describeRun } from '../reported-run.ts'
import { createSections, outOfReachSentence, type Section, type SectionItem } from '../sections.ts'
import { escapeHtml, renderItemGroups } from './html-coverage.ts'
import { stylesheet, stylesheetSource } from './html-stylesheet.ts'
import type { ReportFormat } from './report-format.ts'

/** A self-contained HTML page without scripts and external resources, light or dark by the reader's setting. */
export const htmlFormat: ReportFormat = {
  mediaType: 'text/html; charset=utf-8',
  extension: '.html',
  render: renderHtml,
}

function renderHtml(report: Report): string {
  const title = `${report.contract.title}: what the client did`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${stylesheetSource}">
<title>${escapeHtml(title)}</title>
<style>${stylesheet}</style>
</head>
<body>
${renderHeader(report)}
<main>
${renderCards(report)}
${createSections(report).map(renderSection).join('\n')}
${renderCoverage(report)}
</main>
<footer>Made by convsim from ${pluralize(report.requests, 'request')} ${sandboxPhrase(report)}.</footer>
</body>
</html>
`
}

/** The mark of the console. */
export const brandMark =
  '<svg viewBox="0 0 16 16" aria-hidden="true"><rect width="16" height="16" rx="4"/><path d="M4 10V8m4 2V4m4 6V6"/></svg>'

function sandboxPhrase({ sandbox }: Report): string {
  return sandbox === undefined ? 'in all sandboxes' : `in the sandbox ${escapeHtml(sandbox)}`
}

function renderHeader(report: Report): string {
  const faults = report.violations + report.unexpected + countFindings(report.manners)
  const verdict = faults === 0 ? 'Nothing to complain about' : `${pluralize(faults, 'thing')} to look at`
  return `<header>
<p class="kicker"><b>${brandMark}convsim</b> ${escapeHtml(report.contract.title)} <span>${escapeHtml(report.contract.version)}</span></p>
<h1>What the client did</h1>
<p class="verdict ${faults === 0 ? 'good' : 'bad'}">${escapeHtml(verdict)}</p>
<p class="summary">${escapeHtml(summarizeReport(report)).replaceAll(' %', '&nbsp;%')}.</p>
<p class="requests">${describeRun(report.run).map(escapeHtml).join(' · ')}</p>
</header>`
}

/** Renders the totals as cards, each a link to its section. */
function renderCards({ violations, unexpected, manners, coverage }: Report): string {
  const counts = [
    ['violations', violations, 'broke the contract'],
    ['unexpected', unexpected, 'unexpected answers'],
    ['manners', countFindings(manners), 'lapses of manners'],
  ] as const
  const cards = counts.map(
    ([key, count, label]) =>
      `<li class="${count === 0 ? 'good' : 'bad'}"><a href="#${key}"><b>${count}</b><span>${label}</span></a></li>`,
  )
  return `<ul class="figures">
${cards.join('\n')}
<li class="ring"><a href="#coverage">${renderRing(coverage.percent)}<span>of the contract covered</span></a></li>
</ul>`
}

/** Renders a share as a ring with a circumference of 100. */
function renderRing(percent: number): string {
  return `<svg viewBox="0 0 36 36" role="img" aria-label="${percent} %">
<circle class="track" cx="18" cy="18" r="15.915"/>
<circle class="share" cx="18" cy="18" r="15.915" stroke-dasharray="${percent} 100"/>
<text x="18" y="18">${percent}<tspan>%</tspan></text>
</svg>`
}

function renderSection({ key, title, description, emptySentence, items, further }: Section): string {
  const body =
    items.length === 0
      ? `<p class="none">${escapeHtml(emptySentence)}</p>`
      : `<p>${escapeHtml(description)}</p>\n<ol class="findings">\n${items.map(renderFinding).join('\n')}\n</ol>`
  const more = further === '' ? '' : `\n<p>${escapeHtml(further)}</p>`
  return `<section id="${key}">\n<h2>${escapeHtml(title)}</h2>\n${body}${more}\n</section>`
}

function renderFinding({ title, sentence, requests, trace, curl }: SectionItem): string {
  const lines = [requests, trace].map((line) => `<p class="requests">${escapeHtml(line)}</p>`).join('')
  const command =
    curl === ''
      ? ''
      : `<details><summary>curl</summary><pre>${curl.trimEnd().split('\n').map(escapeHtml).join('\n')}</pre></details>`
  return `<li><h3>${escapeHtml(title)}</h3><p>${escapeHtml(sentence)}</p>${lines}${command}</li>`
}

function renderCoverage({ coverage: { met, points, percent, operations } }: Report): string {
  return `<section id="coverage">
<h2>Coverage</h2>
<p>${met} of ${points} items of the contract were covered: ${percent}&nbsp;%.</p>
${operations.map(renderOperation).join('\n')}
</section>`
}

function renderOperation(coverage: OperationCoverage): string {
  const { operation, method, path, requests, met, points, percent, missing, outOfReach } = coverage
  const list = missing.map(({ sentence }) => `<li>${escapeHtml(sentence)}</li>`).join('\n')
  const details = `<details><summary>${missing.length} missing, and how to meet them</summary>\n<ul class="missing">\n${list}\n</ul></details>`
  const notCounted =
    outOfReach.length === 0 ? '' : `\n<p class="requests">${escapeHtml(outOfReachSentence(outOfReach))}</p>`
  return `<article>
<h3><span class="method">${escapeHtml(method)}</span> ${escapeHtml(path)}</h3>
<p class="requests">${escapeHtml(operation)} · ${pluralize(requests, 'request')} · ${met} of ${points} points</p>
<svg class="bar" role="img" aria-label="${percent} %"><rect width="${percent}%"/></svg>
${renderItemGroups(coverage)}
${missing.length === 0 ? '<p class="none">Everything was met.</p>' : details}${notCounted}
</article>`
}
