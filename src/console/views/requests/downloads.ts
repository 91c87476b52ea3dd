import { callText, tokenHeaders } from '../../api/call.ts'
import { valueOrNotice } from '../../store/notices.ts'
import { sandbox } from '../../store/route.ts'
import { saveFile } from '../../ui/save-file.ts'

/** Lists the downloads for the selected sandbox: the report in each format, and up to 1,000 requests as HAR. */
export function listDownloads() {
  const name = sandbox.value
  const save = async (extension: string, result: ReturnType<typeof callText>) => {
    const text = await valueOrNotice(result)
    if (text !== undefined) saveFile(`${name === '*' ? 'all' : name}.${extension}`, text)
  }
  const report = (format: 'html' | 'json' | 'junit', extension: string) => () =>
    save(`report.${extension}`, callText('/report', { query: { sandbox: name, format } }))
  const har = () => save('har', callText('/requests', { query: { sandbox: name, format: 'har', limit: 1_000 } }))
  const open = () => window.open(`report?${new URLSearchParams({ sandbox: name, format: 'html' })}`, '_blank')
  return [
    // A new tab cannot send the token, so if there is a token, the report is saved instead of opened.
    { label: 'HTML', title: 'Open the report', run: 'Authorization' in tokenHeaders() ? report('html', 'html') : open },
    { label: 'JSON', title: 'Save the report as JSON', run: report('json', 'json') },
    { label: 'JUnit', title: 'Save the report as JUnit', run: report('junit', 'xml') },
    { label: 'HAR', title: 'Save up to 1,000 requests as HAR', run: har },
  ]
}
