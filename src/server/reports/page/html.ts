import { escapeMarkup, type Page, type PageBlock, type PageFinding, type PageSection } from './page.ts'
import { stylesheet, stylesheetSource } from './stylesheet.ts'

/** Renders a page as HTML without scripts or external resources. Browsers show it in the reader's color scheme. */
export function renderHtml(page: Page): string {
  const { subject, heading, verdict, summary = [], facts = [], failed = [], numbers = [], sections } = page
  const sentences = [...summary, ...failed.map((sentence) => `--fail-on: ${sentence}.`)]
  const title = escapeHtml(subject.title)
  const cards = numbers.map(({ value, label, section, isGood }) => {
    const texts = `<b>${escapeHtml(value)}</b><span>${escapeHtml(label)}</span>`
    const state = isGood === undefined ? '' : nameState(isGood)
    return `<li class="${state}"><a href="#${escapeHtml(section)}">${texts}</a></li>`
  })
  const cardList = cards.length === 0 ? '' : `<ul class="numbers">\n${cards.join('\n')}\n</ul>\n`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${stylesheetSource}">
<title>${escapeHtml(`${subject.title}: ${heading}`)}</title>
<style>${stylesheet}</style>
</head>
<body>
<header>
<p class="kicker"><b>${brandMark}convsim</b> ${title} <span>${escapeHtml(subject.version)}</span></p>
<h1>${escapeHtml(heading)}</h1>
<p class="verdict ${nameState(verdict.isGood)}">${escapeHtml(verdict.text)}</p>
${sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('\n')}
<p class="faint">${facts.map(escapeHtml).join(' · ')}</p>
</header>
<main>
${cardList}${sections.map(renderSection).join('\n')}
</main>
</body>
</html>`
}

const brandMark =
  '<svg viewBox="0 0 16 16" aria-hidden="true"><rect width="16" height="16" rx="4"/>' +
  '<path d="M4 10V8m4 2V4m4 6V6"/></svg>'

const nameState = (isGood: boolean) => (isGood ? 'good' : 'bad')

function renderSection({ key, title, blocks, isFolded }: PageSection): string {
  const id = escapeHtml(key)
  const body = blocks.map((block) => renderBlock(block, id)).join('\n')
  const heading = `<h2 id="${id}-title">${escapeHtml(title)}</h2>`
  const content = isFolded ? `<details><summary>${heading}</summary>\n${body}\n</details>` : `${heading}\n${body}`
  return `<section id="${id}">\n${content}\n</section>`
}

function renderBlock(block: PageBlock, section: string): string {
  switch (block.kind) {
    case 'lines': {
      const classAttribute = block.isGood ? ' class="none"' : ''
      return block.lines.map((line) => `<p${classAttribute}>${escapeHtml(line)}</p>`).join('\n')
    }
    case 'table':
      return `<div class="table" role="region" aria-labelledby="${section}-title" tabindex="0"><table>
<thead><tr>${block.head.map((cell) => `<th>${escapeHtml(cell)}</th>`).join('')}</tr></thead>
<tbody>
${block.rows.map((row, at) => renderRow(row, block.states?.[at] ?? '')).join('\n')}
</tbody>
</table></div>`
    case 'findings':
      return `<ol class="findings">\n${block.findings.map(renderFinding).join('\n')}\n</ol>`
  }
}

function renderRow(cells: readonly string[], state: string): string {
  const last = cells.length - 1
  return `<tr>${cells
    .map((cell, at) => `<td${at === last && state !== '' ? ` class="${state}"` : ''}>${escapeHtml(cell)}</td>`)
    .join('')}</tr>`
}

function renderFinding({ severity, title, sentence, notes = [], details = [] }: PageFinding): string {
  const parts = details.map(({ title, lines }) => {
    const code = `<pre>${lines.map(escapeHtml).join('\n')}</pre>`
    return title === '' ? code : `<details><summary>${escapeHtml(title)}</summary>${code}</details>`
  })
  const text = `<p><b>${severity}</b>: ${escapeHtml(sentence)}</p>`
  const noteParts = notes.map((line) => `<p class="faint">${escapeHtml(line)}</p>`)
  return `<li class="${severity}"><h3>${escapeHtml(title)}</h3>${[text, ...noteParts, ...parts].join('')}</li>`
}

/** Escapes text for HTML and replaces control characters, including those for text direction, with spaces. */
function escapeHtml(text: string): string {
  return escapeMarkup(text.toWellFormed().replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' '))
}
