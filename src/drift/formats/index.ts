import type { DriftReport } from '../finding.ts'
import { renderGithub } from './github.ts'
import { renderJson } from './json.ts'
import { renderMarkdown } from './markdown.ts'
import { renderText } from './text.ts'

/** The forms in which a comparison is printed, by the value of `--format`. */
const renderers = {
  text: renderText,
  json: renderJson,
  github: renderGithub,
  markdown: renderMarkdown,
} as const

/** Renders a comparison in a form of `--format`. */
export function renderDrift(report: DriftReport, format: keyof typeof renderers): string {
  return renderers[format](report)
}
