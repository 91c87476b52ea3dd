/** The stylesheet of the HTML page: one narrow column on a phone, two columns of chips on a wide screen. */
export const stylesheet = `
:root {
  --ground: #f6f5f1; --paper: #fff; --ink: #1d2329; --faint: #626b74; --line: #dfdcd3;
  --good: #1c7a4a; --good-ground: #e4f3ea; --bad: #b3261e; --bad-ground: #fbe9e7; --accent: #2b5fab;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171a; --paper: #1d2126; --ink: #e8e6e1; --faint: #a0a8b0; --line: #333a41;
    --good: #6fcf97; --good-ground: #1b3326; --bad: #ff8a80; --bad-ground: #3b2020; --accent: #8ab4f8;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; padding: clamp(1rem, 4vw, 3rem) 1rem 3rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
header, main, footer { max-width: 58rem; margin-inline: auto; }
h1, h2, h3, h4, p, ul, ol, dl, dd { margin: 0; padding: 0; }
ul, ol { list-style: none; }
h1 { font-size: clamp(1.9rem, 6vw, 2.9rem); line-height: 1.1; letter-spacing: -.025em; }
h2 { font-size: 1.35rem; letter-spacing: -.01em; margin-bottom: .35rem; }
h3 { font-size: 1rem; overflow-wrap: anywhere; }
.kicker { color: var(--faint); font-size: .9rem; margin-bottom: .4rem; }
.kicker span { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5em; font-size: .8em; }
.verdict { display: inline-block; margin-top: .9rem; padding: .2rem .8rem; border-radius: 2rem; font-weight: 600; }
.verdict.good { color: var(--good); background: var(--good-ground); }
.verdict.bad { color: var(--bad); background: var(--bad-ground); }
.summary { margin-top: .7rem; color: var(--faint); max-width: 44rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .8rem; margin: 1.8rem 0 2.6rem; }
.figures li { background: var(--paper); border: 1px solid var(--line); border-radius: .9rem; }
.figures a {
  display: flex; flex-direction: column; justify-content: center; gap: .1rem; height: 100%; min-height: 7rem;
  padding: 1rem 1.1rem; color: inherit; text-decoration: none; border-radius: inherit;
}
.figures a:hover, .figures a:focus-visible { outline: 2px solid var(--accent); outline-offset: -1px; }
.figures b { font-size: 2.4rem; line-height: 1.1; font-variant-numeric: tabular-nums; }
.figures .good b { color: var(--good); } .figures .bad b { color: var(--bad); }
.figures span { color: var(--faint); font-size: .88rem; }
.figures .ring a { flex-direction: row; align-items: center; justify-content: flex-start; flex-wrap: wrap; gap: .5rem .9rem; }
.figures .ring span { flex: 1 1 4rem; }
svg { width: 4.9rem; flex: none; }
circle { fill: none; stroke-width: 3.4; }
.track { stroke: var(--line); }
.share { stroke: var(--accent); stroke-linecap: butt; transform: rotate(-90deg); transform-origin: center; }
text { fill: var(--ink); font-size: 7.5px; font-weight: 650; text-anchor: middle; dominant-baseline: central; }
tspan { font-size: 4.5px; fill: var(--faint); }
section { margin-top: 2.4rem; scroll-margin-top: 1rem; }
section > p { color: var(--faint); }
.none { color: var(--good); } .none::before { content: '\\2713\\00a0'; }
section > .none { color: var(--good); }
.findings { display: grid; gap: .6rem; margin-top: .8rem; }
.findings li, article { background: var(--paper); border: 1px solid var(--line); border-radius: .7rem; padding: .85rem 1.1rem; }
.findings li { border-left: 4px solid var(--bad); }
.findings p { overflow-wrap: anywhere; }
.requests { color: var(--faint); font-size: .85rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
article { margin-top: 1rem; padding: 1.1rem 1.2rem 1.2rem; }
.method { font: 700 .75rem/1 ui-monospace, monospace; color: var(--accent); border: 1px solid currentColor; border-radius: .3rem; padding: .18rem .4rem; vertical-align: .08em; }
.bar { height: .55rem; margin: .6rem 0 .4rem; border-radius: 1rem; background: var(--line); overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--accent); border-radius: inherit; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr)); gap: .35rem 1.4rem; margin-top: .35rem; }
.fields li { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: .15rem .6rem; min-width: 0; border-bottom: 1px dotted var(--line); padding-bottom: .3rem; }
.fields li:only-child, .fields li:has(i:nth-child(4)), .fields li:has(b:nth-child(4)) { grid-column: 1 / -1; justify-content: flex-start; }
h4 { margin-top: 1rem; font-size: .8rem; color: var(--faint); }
code { font: .82rem/1.4 ui-monospace, SFMono-Regular, Menlo, monospace; overflow-wrap: anywhere; }
.fields span { display: inline-flex; flex-wrap: wrap; gap: .25rem; }
.fields b, .fields i {
  font: .76rem/1.35 ui-monospace, SFMono-Regular, Menlo, monospace; padding: .12rem .45rem; border-radius: .35rem;
  border: 1px dashed var(--faint); color: var(--faint); overflow-wrap: anywhere;
}
.fields b { border: 1px solid transparent; background: var(--good-ground); color: var(--good); }
.fields b::before { content: '\\2713\\00a0'; }
pre { margin: .5rem 0 0; font: .78rem/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
details { margin-top: 1rem; border-top: 1px solid var(--line); padding-top: .7rem; }
summary { cursor: pointer; color: var(--accent); font-weight: 600; font-size: .92rem; }
.missing { margin-top: .5rem; font-size: .9rem; columns: 24rem 2; column-gap: 2rem; }
.missing li { break-inside: avoid; padding: .18rem 0; overflow-wrap: anywhere; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--faint); font-size: .85rem; }
@media print { body { background: none; padding: 0; } details[open] summary { display: none; } article { break-inside: avoid; } }
`
