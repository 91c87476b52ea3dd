/** Colours, sizes and fonts of the console: a copy of its `styles/tokens.css`, since a report is one file. A test holds that they agree. */
export const tokens = `/* Colours, sizes and fonts. Everything else takes them from here, so that light and dark differ in this file alone. */
:root {
  color-scheme: light dark;
  --ground: #f7f7f5;
  --paper: #ffffff;
  --raised: #f0f0ed;
  --ink: #1c2126;
  --faint: #5c656e;
  --line: #e2e2de;
  --line-strong: #c3c5c4;
  --accent: #2457a6;
  --accent-ground: #e8eff9;
  --on-accent: #ffffff;
  --good: #1a7044;
  --good-ground: #e4f3ea;
  --warn: #835400;
  --warn-ground: #fbf1dc;
  --bad: #b3261e;
  --bad-ground: #fcebe9;
  --name: #7a3e9d;
  --text: #1a6b52;
  --number: #2457a6;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
  --size: 13px;
  --small: 12px;
  --edge: 16px;
  --radius: 5px;
}

@media (prefers-color-scheme: dark) {
  :root {
    --ground: #131619;
    --paper: #191d21;
    --raised: #22272c;
    --ink: #e4e6e8;
    --faint: #9ba5ae;
    --line: #2a3036;
    --line-strong: #465059;
    --accent: #8cb5f7;
    --accent-ground: #1d2a3d;
    --on-accent: #10151b;
    --good: #6cc795;
    --good-ground: #18301f;
    --warn: #e2b566;
    --warn-ground: #322a19;
    --bad: #ff8f85;
    --bad-ground: #3a201e;
    --name: #c9a0e6;
    --text: #7fcbb0;
    --number: #8cb5f7;
  }
}
`
