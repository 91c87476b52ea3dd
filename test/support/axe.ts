import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface AxeResults {
  readonly violations: readonly {
    readonly id: string
    readonly help: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
  }[]
}

/** Lists axe's findings on a page: `color-contrast: <span>: ...`. It is evaluated: pages allow no other script. */
export async function listAccessibilityFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>('axe.run(document, { resultTypes: ["violations"] })')
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} (${help}): ${html.slice(0, 200)}: ${failureSummary}`),
  )
}
