import type { OperationCoverage } from '../coverage-view.ts'
import { pluralize, type Report, summaryOf, totalOf } from '../report.ts'
import { beyondWords, type Section, type SectionItem, sectionsOf } from '../sections.ts'
import { escaped, pointGroups } from './html-items.ts'
import { stylesheet } from './stylesheet.ts'

/** One page by itself: no scripts, nothing from elsewhere, light or dark as its reader has it. */
export function htmlReport(report: Report): string {
  const title = `${report.contract.title}: what the client did`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(title)}</title>
<style>${stylesheet}</style>
</head>
<body>
${header(report)}
<main>
${figures(report)}
${sectionsOf(report).map(chapter).join('\n')}
${coverage(report)}
</main>
<footer>Made by convsim from ${pluralize(report.requests, 'request')} ${whose(report)}.</footer>
</body>
</html>
`
}

function whose({ sandbox }: Report): string {
  return sandbox === undefined ? 'in all sandboxes' : `in the sandbox ${escaped(sandbox)}`
}

function header(report: Report): string {
  const faults = report.violations + report.unexpected + totalOf(report.manners)
  const verdict = faults === 0 ? 'Nothing to complain about' : `${pluralize(faults, 'thing')} to look at`
  return `<header>
<p class="kicker">${escaped(report.contract.title)} <span>${escaped(report.contract.version)}</span></p>
<h1>What the client did</h1>
<p class="verdict ${faults === 0 ? 'good' : 'bad'}">${escaped(verdict)}</p>
<p class="summary">${escaped(summaryOf(report)).replaceAll(' %', '&nbsp;%')}.</p>
</header>`
}

/** The numbers that are looked at first, each a link to what is behind it. */
function figures({ violations, unexpected, manners, coverage }: Report): string {
  const counts = [
    ['violations', violations, 'broke the contract'],
    ['unexpected', unexpected, 'unexpected answers'],
    ['manners', totalOf(manners), 'lapses of manners'],
  ] as const
  const cards = counts.map(
    ([key, count, words]) =>
      `<li class="${count === 0 ? 'good' : 'bad'}"><a href="#${key}"><b>${count}</b><span>${words}</span></a></li>`,
  )
  return `<ul class="figures">
${cards.join('\n')}
<li class="ring"><a href="#coverage">${ring(coverage.percent)}<span>of the contract covered</span></a></li>
</ul>`
}

/** The share as a ring; its circumference is 100. */
function ring(percent: number): string {
  return `<svg viewBox="0 0 36 36" role="img" aria-label="${percent} %">
<circle class="track" cx="18" cy="18" r="15.915"/>
<circle class="share" cx="18" cy="18" r="15.915" stroke-dasharray="${percent} 100"/>
<text x="18" y="18">${percent}<tspan>%</tspan></text>
</svg>`
}

function chapter({ key, title, description, none, told, further }: Section): string {
  const body =
    told.length === 0
      ? `<p class="none">${escaped(none)}</p>`
      : `<p>${escaped(description)}</p>\n<ol class="findings">\n${told.map(finding).join('\n')}\n</ol>`
  const more = further === '' ? '' : `\n<p>${escaped(further)}</p>`
  return `<section id="${key}">\n<h2>${escaped(title)}</h2>\n${body}${more}\n</section>`
}

function finding({ title, sentence, shownBy }: SectionItem): string {
  return `<li><h3>${escaped(title)}</h3><p>${escaped(sentence)}</p><p class="requests">${escaped(shownBy)}</p></li>`
}

function coverage({ coverage: { met, points, percent, operations } }: Report): string {
  return `<section id="coverage">
<h2>Coverage</h2>
<p>${met} of ${points} points of the contract were met: ${percent}&nbsp;%.</p>
${operations.map(operationCoverage).join('\n')}
</section>`
}

function operationCoverage(own: OperationCoverage): string {
  const { operation, method, path, requests, met, points, percent, missing, outOfReach } = own
  const list = missing.map(({ sentence }) => `<li>${escaped(sentence)}</li>`).join('\n')
  const details = `<details><summary>${missing.length} missing, and how to meet them</summary>\n<ul class="missing">\n${list}\n</ul></details>`
  const beyond =
    outOfReach.length === 0 ? '' : `\n<p class="requests">${escaped(beyondWords(outOfReach))}</p>`
  return `<article>
<h3><span class="method">${escaped(method)}</span> ${escaped(path)}</h3>
<p class="requests">${escaped(operation)} · ${pluralize(requests, 'request')} · ${met} of ${points} points</p>
<div class="bar" role="img" aria-label="${percent} %"><i style="width:${percent}%"></i></div>
${pointGroups(own)}
${missing.length === 0 ? '<p class="none">Everything was met.</p>' : details}${beyond}
</article>`
}
