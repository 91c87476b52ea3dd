import type { Reply } from '../exchange/reply.ts'
import type { Exchange } from './exchange.ts'

/** A stage of a request: replies, or lets the exchange go on to the next stage (undefined). */
export type RequestStage = (exchange: Exchange) => Reply | undefined | Promise<Reply | undefined>

/** The request stages in their order, each with its public name. */
export type RequestStages = readonly (readonly [name: string, stage: RequestStage])[]

/** A stage of a reply: every reply passes through all of them. */
export type ReplyStage = (exchange: Exchange, reply: Reply) => Reply
