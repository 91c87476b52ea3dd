import { createHash } from 'node:crypto'
import { tokens } from './html-tokens.ts'

/** The stylesheet of the HTML page, which looks like the console: one narrow column on a phone, two columns of chips on a wide screen. */
export const stylesheet = `
${tokens}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: var(--size)/1.5 var(--sans); font-variant-numeric: tabular-nums;
}
header, main, footer { padding-inline: max(var(--edge), 50% - 480px); }
h1, h2, h3, h4, p, ul, ol, dl, dd { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: 20px; font-weight: 650; line-height: 1.3; }
h2 { font-size: 15px; font-weight: 600; }
h3 { font-size: var(--size); font-weight: 600; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
header { padding-bottom: 18px; border-bottom: 1px solid var(--line); background: var(--paper); }
.kicker { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px; min-height: 40px; margin-bottom: 12px; color: var(--faint); }
.kicker b { display: inline-flex; align-items: center; gap: 7px; margin-right: 8px; color: var(--ink); font-weight: 650; }
.kicker svg { width: 18px; fill: #2b5fab; }
.kicker path { fill: none; stroke: #fff; stroke-linecap: round; stroke-width: 2; }
.kicker span { padding: 0 6px; border: 1px solid var(--line-strong); border-radius: 10px; font-size: var(--small); }
.verdict { display: inline-block; margin-top: 6px; padding: 1px 8px; border-radius: 3px; font-weight: 600; }
.verdict.good { color: var(--good); background: var(--good-ground); }
.verdict.bad { color: var(--bad); background: var(--bad-ground); }
.summary { margin-top: 8px; }
.requests { color: var(--faint); font-size: var(--small); overflow-wrap: anywhere; }
.findings .requests { display: inline; } .requests + .requests::before { content: ' · '; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px; margin-top: 18px; }
.figures li { border: 1px solid var(--line); border-radius: var(--radius); background: var(--paper); }
.figures a {
  display: flex; flex-direction: column; justify-content: center; height: 100%; min-height: 76px;
  padding: 10px 14px; border-radius: inherit; color: inherit; text-decoration: none;
}
.figures a:hover { background: var(--raised); }
.figures b { font-size: 24px; font-weight: 650; line-height: 1.2; }
.figures .good b { color: var(--good); } .figures .bad b { color: var(--bad); }
.figures span { color: var(--faint); }
.figures .ring a { flex-direction: row; flex-wrap: wrap; align-items: center; justify-content: flex-start; gap: 6px 12px; }
.figures .ring span { flex: 1 1 64px; }
.ring svg { flex: none; width: 54px; }
.ring circle { fill: none; stroke-width: 3.4; }
.track { stroke: var(--line); }
.ring .share { stroke: var(--good); transform: rotate(-90deg); transform-origin: center; }
.ring text { fill: var(--ink); font-size: 8px; font-weight: 650; text-anchor: middle; dominant-baseline: central; }
.ring tspan { fill: var(--faint); font-size: 5px; }
section { margin-top: 28px; scroll-margin-top: 14px; }
section > p { color: var(--faint); }
.none, section > .none { color: var(--good); } .none::before { content: '\\2713\\00a0'; }
.findings, article { margin-top: 8px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--paper); }
.findings li { padding: 8px 14px; box-shadow: inset 3px 0 var(--bad); }
#advice li { box-shadow: inset 3px 0 var(--warn); }
.findings li + li { border-top: 1px solid var(--line); }
.findings p { overflow-wrap: anywhere; }
article { padding: 12px 14px 14px; }
article h3 { font: var(--small)/1.5 var(--mono); } .method { margin-right: 4px; font-weight: 600; }
.bar { display: block; width: 100%; height: 6px; margin: 8px 0 4px; border-radius: 3px; background: var(--line); }
.bar rect { height: 100%; fill: var(--good); }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr)); gap: 4px 22px; margin-top: 4px; }
.fields li { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 2px 10px; min-width: 0; padding-bottom: 4px; border-bottom: 1px solid var(--line); }
.fields li:only-child, .fields li:has(i:nth-child(4)), .fields li:has(b:nth-child(4)) { grid-column: 1 / -1; justify-content: flex-start; }
h4 { margin-top: 14px; color: var(--faint); font-size: var(--small); font-weight: 500; }
code { font: var(--small)/1.4 var(--mono); overflow-wrap: anywhere; }
.fields span { display: inline-flex; flex-wrap: wrap; gap: 4px; }
.fields b, .fields i {
  padding: 0 7px; border: 1px dashed var(--line-strong); border-radius: 10px; font: var(--small)/18px var(--sans); overflow-wrap: anywhere;
}
.fields b { padding-left: 0; border-color: transparent; color: var(--good); }
.fields b::before { content: '\\2713\\00a0'; } .fields i::before { content: '\\25cb\\00a0'; }
pre { margin: 6px 0 0; padding: 8px 12px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--ground); font: var(--small)/1.6 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin-top: 6px; }
article > details { margin-top: 14px; }
summary { color: var(--accent); cursor: pointer; }
.missing { margin-top: 6px; columns: 24rem 2; column-gap: 28px; }
.missing li { padding: 2px 0; break-inside: avoid; overflow-wrap: anywhere; }
footer { margin-top: 36px; padding-block: 14px 36px; border-top: 1px solid var(--line); color: var(--faint); font-size: var(--small); }
@media print { body { background: none; } details[open] summary { display: none; } article { break-inside: avoid; } }
`

/** The source of the stylesheet in a Content-Security-Policy, which allows no other inline style. */
export const stylesheetSource = styleSource(stylesheet)

/** Returns the source of an inline stylesheet in a Content-Security-Policy: `'sha256-...'`. */
export function styleSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
