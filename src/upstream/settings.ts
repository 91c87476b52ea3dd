import { duration } from '../config/setting.ts'

/** The setting `upstreamTimeout` of a command that passes requests on to the real service. */
export const upstreamTimeout = duration({
  default: '30s',
  description:
    'The longest time until an answer of the real service begins, and between two parts of it; ' +
    'beyond it the client gets a 504, or the connection breaks.',
})
