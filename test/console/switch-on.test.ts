import { expect, test } from 'vitest'
import { describeInBrowser, sharedBrowser } from '../support/browser.ts'
import { analyticsPath, ask } from '../support/client.ts'
import { putRules, steer } from '../support/control.ts'
import { startForTest } from '../support/start.ts'

const browser = sharedBrowser()

describeInBrowser('switching on a scenario for requests like one that is shown', () => {
  test('puts it before the other rules, which stay used up', async () => {
    const own = await startForTest()
    await putRules(own, [{ scenario: '429', times: 1 }])
    await ask(own, analyticsPath)
    const page = await browser.open(own, { place: '#/requests/req-1' })
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByText('Switched on in the sandbox default, before its other rules.').waitFor()
    expect(await steer(own, 'GET', '/scenarios')).toMatchObject({
      rules: [{ operation: 'getModelAnalytics' }, { scenario: '429' }],
      counts: {
        rules: [
          { acted: 0, left: 1 },
          { acted: 1, left: 0 },
        ],
      },
    })
  })
})
