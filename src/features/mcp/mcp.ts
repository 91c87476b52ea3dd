/**
 * `features/mcp/`: tools for coding agents (MCP over HTTP and stdio), and a skill. The tools call the control plane;
 * `tools.ts` defines them, and `server.ts` serves them.
 */
import { readFile } from 'node:fs/promises'
import { CustomReply, registerControls } from '../../server/control/handler.ts'
import { textBody } from '../../service/exchange/reply.ts'
import { bundledSkill } from '../../service/fixtures/bundled.ts'
import { sendInProcess } from './tool.ts'

registerControls((handle) => ({
  async callMcp({ source, body, exchangeEnded }) {
    const { handleCall } = await import('./server.ts')
    const send = sendInProcess(handle, source, exchangeEnded)
    const { status, mediaType, text } = await handleCall(send, source.headers, body)
    return new CustomReply({
      status,
      body: text === '' ? undefined : textBody(text, mediaType ?? 'application/json'),
    })
  },
  async getSkill() {
    return new CustomReply({ body: textBody(await readFile(bundledSkill, 'utf8'), 'text/markdown; charset=utf-8') })
  },
}))
