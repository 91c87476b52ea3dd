import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Colors, sizes and fonts. The console's stylesheet also imports `tokens.css`, which the build copies into `dist`. */
const tokens = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

export const stylesheet = `
${tokens}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; padding-bottom: 36px; background: var(--ground); color: var(--ink);
  font: var(--size)/1.5 var(--sans); font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
header, main { padding-inline: max(var(--edge), 50% - 480px); }
h1, h2, h3, p, ul, ol { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: 20px; font-weight: 650; line-height: 1.3; } h1::first-letter { text-transform: uppercase; }
h2 { font-size: 15px; font-weight: 600; }
h3 { font-size: var(--size); font-weight: 600; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
header { padding-bottom: 18px; border-bottom: 1px solid var(--line); background: var(--paper); }
.kicker { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px;
  min-height: 40px; margin-bottom: 12px; color: var(--faint); }
.kicker b { display: inline-flex; align-items: center; gap: 7px;
  margin-right: 8px; color: var(--ink); font-weight: 650; }
.kicker svg { width: 18px; fill: #2b5fab; }
.kicker path { fill: none; stroke: #fff; stroke-linecap: round; stroke-width: 2; }
.kicker span { padding: 0 6px; border: 1px solid var(--line-strong); border-radius: 10px; font-size: var(--small); }
.verdict { display: inline-block; margin: 6px 0; padding: 1px 8px; border-radius: 3px; font-weight: 600; }
.verdict.good { color: var(--good); background: var(--good-ground); }
.verdict.bad { color: var(--bad); background: var(--bad-ground); }
.faint { color: var(--faint); font-size: var(--small); }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px; margin-top: 18px; }
.findings, .numbers li, .table {
  border: 1px solid var(--line); border-radius: var(--radius); background: var(--paper);
}
.numbers a {
  display: flex; flex-direction: column; justify-content: center; height: 100%; min-height: 76px;
  padding: 10px 14px; border-radius: inherit; color: inherit; text-decoration: none;
}
.numbers a:hover { background: var(--raised); }
.numbers b { font-size: 24px; font-weight: 650; line-height: 1.2; }
.numbers span { color: var(--faint); }
.numbers .good b, td.good, .none { color: var(--good); } .numbers .bad b, td.bad { color: var(--bad); }
.none::before { content: '\\2713\\00a0'; }
section { margin-top: 28px; scroll-margin-top: 14px; }
section > * + * { margin-top: 8px; } section > p + p { margin-top: 4px; }
.findings > li { padding: 8px 14px; box-shadow: inset 3px 0 var(--line-strong); }
.findings > .error { box-shadow: inset 3px 0 var(--bad); } .findings > .warning { box-shadow: inset 3px 0 var(--warn); }
.findings > li + li { border-top: 1px solid var(--line); }
.error p b { color: var(--bad); } .warning p b { color: var(--warn); }
pre { margin: 6px 0 0; padding: 8px 12px; border: 1px solid var(--line);
  border-radius: var(--radius); background: var(--ground); font: var(--small)/1.6 var(--mono); white-space: pre-wrap; }
details { margin-top: 6px; }
summary { color: var(--accent); cursor: pointer; } summary h2 { display: inline; } summary + .table { margin-top: 8px; }
.table { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; overflow-wrap: normal; }
th, td { padding: 4px 14px; border-bottom: 1px solid var(--line); text-align: left; }
th { color: var(--faint); font-size: var(--small); font-weight: 400; }
tr:last-child td { border-bottom: 0; }
@media print { body { background: none; } }
`

/** The stylesheet's source expression for a Content-Security-Policy, which then blocks all other inline styles. */
export const stylesheetSource = `'sha256-${createHash('sha256').update(stylesheet).digest('base64')}'`
