import { callText, tokenHeaders } from '../../api/call.ts'
import { valueOrNotice } from '../../store/notices.ts'
import { sandbox } from '../../store/route.ts'
import { saveFile } from '../../ui/save-file.ts'

/** Lists the downloads for the selected sandbox: the report as HTML, JSON or JUnit, and up to 1,000 requests as HAR. */
export function listDownloads() {
  const name = sandbox.value
  const save = async (extension: string, result: ReturnType<typeof callText>) => {
    const text = await valueOrNotice(result)
    if (text !== undefined) saveFile(`${name === '*' ? 'all' : name}.${extension}`, text)
  }
  const saveReport = (format: 'html' | 'json' | 'junit', extension: string) => () =>
    save(`report.${extension}`, callText('/report', { query: { sandbox: name, format } }))
  const saveHar = () => save('har', callText('/requests', { query: { sandbox: name, format: 'har', limit: 1_000 } }))
  const openReport = () => window.open(`report?${new URLSearchParams({ sandbox: name, format: 'html' })}`, '_blank')
  const saveHtml = { title: 'Save the report as HTML', run: saveReport('html', 'html') }
  const openHtml = { title: 'Open the report', run: openReport }
  return [
    // A new tab cannot send the token, so the report is opened only if no token is set.
    { label: 'HTML', ...('Authorization' in tokenHeaders() ? saveHtml : openHtml) },
    { label: 'JSON', title: 'Save the report as JSON', run: saveReport('json', 'json') },
    { label: 'JUnit', title: 'Save the report as JUnit', run: saveReport('junit', 'xml') },
    { label: 'HAR', title: 'Save up to 1,000 requests as HAR', run: saveHar },
  ]
}
