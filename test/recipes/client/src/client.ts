/** The settings of a client. */
export interface ClientOptions {
  readonly baseUrl: string
  readonly apiKey: string
  /** Waits for milliseconds; default: a timer. */
  readonly sleep?: (ms: number) => Promise<unknown>
}

/** A purchase, whose order number identifies it. */
export interface Purchase {
  readonly order: string
  readonly amount: string
}

/** The figures that the shop shows of a model. */
export interface ModelFigures {
  readonly conversations: number
  /** The share of conversations with hallucinations in percent; undefined: it was not measured. */
  readonly hallucinations: number | undefined
  /** The last day of the figures: `2026-01-15`. */
  readonly lastDay: string | undefined
}

/** An answer that is no success. */
export class ServiceError extends Error {
  override name = 'ServiceError'
  constructor(
    readonly status: number,
    message: string,
    /** The seconds after which the client may come back. */
    readonly retryAfter?: number,
  ) {
    super(message)
  }
}

const productId = '00000000-0000-4000-9000-000000000002'
const maxAttempts = 3
const maxWaitSeconds = 60

/** The body of a success. Each caller checks the fields that it reads. */
interface AnswerBody {
  readonly [name: string]: unknown
  readonly hallucinationCount?: { readonly percentage: number } | null
  readonly dataPoints?: readonly { readonly date: string }[]
}

/** A client of the service, which sends a failed request again where that is safe. */
export class AnalyticsClient {
  readonly #options: Required<ClientOptions>

  constructor(options: ClientOptions) {
    this.#options = { sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)), ...options }
  }

  /** Records a purchase. The order number is the insertId, so that each attempt is the same event. */
  async recordPurchase({ order, amount }: Purchase): Promise<string> {
    const event = { eventType: 'purchase', productId, value: amount, valueType: 'currency', insertId: order }
    return textOf(await this.#request('POST', '/events', event), 'eventId')
  }

  /** Creates a prompt version, which is not active. */
  async createPrompt(name: string, content: string): Promise<{ promptId: string; versionId: string }> {
    const prompt = { name, externalPromptId: name, productId, role: 'support', components: [{ content }] }
    const body = await this.#request('POST', '/prompts', prompt)
    return { promptId: textOf(body, 'promptId'), versionId: textOf(body, 'versionId') }
  }

  /** Reads the figures of a model. @throws TypeError if the answer lacks one of them */
  async readFigures(modelId: string, period = '7d'): Promise<ModelFigures> {
    const body = await this.#request('GET', `/models/${modelId}/analytics?period=${period}`)
    const { conversationCount, hallucinationCount, dataPoints } = body
    if (typeof conversationCount !== 'number') throw new TypeError('The answer has no conversationCount.')
    if (!Array.isArray(dataPoints)) throw new TypeError('The answer has no dataPoints.')
    return {
      conversations: conversationCount,
      hallucinations: hallucinationCount?.percentage,
      lastDay: dataPoints.at(-1)?.date.slice(0, 10),
    }
  }

  async #request(method: string, path: string, body?: object): Promise<AnswerBody> {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#send(method, path, body)
      if (!(outcome instanceof ServiceError)) return outcome
      const { status, retryAfter = 2 ** (attempt - 1) } = outcome
      const isLasting = status !== 0 && status !== 429 && status < 500
      if (isLasting || attempt === maxAttempts || retryAfter > maxWaitSeconds) throw outcome
      await this.#options.sleep(retryAfter * 1000)
    }
  }

  /** Sends a request once, and returns the body of the answer, or the error. */
  async #send(method: string, path: string, body?: object): Promise<AnswerBody | ServiceError> {
    const { baseUrl, apiKey } = this.#options
    try {
      const response = await fetch(baseUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          'user-agent': 'shop/1.0',
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      const answer = await response.json()
      if (response.ok) return answer
      const seconds = response.headers.get('retry-after')
      return new ServiceError(response.status, answer.error, seconds === null ? undefined : Number(seconds))
    } catch (error) {
      return new ServiceError(0, `The answer was lost: ${error}`)
    }
  }
}

function textOf(body: Record<string, unknown>, name: string): string {
  const value = body[name]
  if (typeof value !== 'string') throw new TypeError(`The answer has no ${name}.`)
  return value
}
