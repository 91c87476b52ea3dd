import { once } from '../../base/core/memoize.ts'
import { textBody } from '../../service/exchange/reply.ts'
import type { Journal } from '../journal/journal.ts'
import { CustomReply, type HandlerGroup } from './handler.ts'

const gaugeDescriptions = {
  journal_entries: 'Exchanges in the journal.',
  journal_dropped: 'Exchanges that the journal has dropped since their sandboxes were last cleared.',
  journal_waiting: 'Verifications and streams that are waiting for requests.',
  sandboxes: 'Sandboxes in this process.',
  state_events: 'Events in the state.',
  state_prompts: 'Prompts in the state.',
} as const

/** Handles `getMetrics`. The first request loads prom-client; the service's responses are counted from startup. */
export const metricsHandlers: HandlerGroup = ({ journal, sandboxes, store }) => {
  const responses = countResponses(journal)
  const loadMetrics = once(createMetrics)
  return {
    async getMetrics() {
      const { registry, requests, gauges } = await loadMetrics()
      const { recorded, dropped } = await journal.counts(undefined)
      const { events, prompts } = await store.size()
      requests.reset()
      for (const { labels, count } of responses.values()) requests.inc(labels, count)
      gauges.journal_entries.set(recorded - dropped)
      gauges.journal_dropped.set(dropped)
      gauges.journal_waiting.set(journal.waiterCount)
      gauges.sandboxes.set(sandboxes.list().length)
      gauges.state_events.set(events)
      gauges.state_prompts.set(prompts)
      return new CustomReply({ body: textBody(await registry.metrics(), registry.contentType) })
    },
  }
}

async function createMetrics() {
  const { default: prometheus } = await import('prom-client')
  const registry = new prometheus.Registry()
  prometheus.collectDefaultMetrics({ register: registry })
  const requests = new prometheus.Counter({
    name: 'convsim_requests_total',
    help: 'Responses from the simulated service. For requests that match no operation, the operation is "none".',
    labelNames: ['operation', 'status', 'origin'],
    registers: [registry],
  })
  const createGauge = (name: keyof typeof gaugeDescriptions) =>
    new prometheus.Gauge({ name: `convsim_${name}`, help: gaugeDescriptions[name], registers: [registry] })
  const names = Object.keys(gaugeDescriptions) as (keyof typeof gaugeDescriptions)[]
  const namedGauges = names.map((name) => [name, createGauge(name)] as const)
  const gauges = Object.fromEntries(namedGauges) as Record<(typeof names)[number], ReturnType<typeof createGauge>>
  return { registry, requests, gauges }
}

function countResponses(journal: Journal) {
  const counts = new Map<string, { readonly labels: Record<string, string>; count: number }>()
  journal.onOwnEntry(({ operation = 'none', response: { status, origin } }, { isCorrection }) => {
    if (isCorrection) return
    const key = `${status} ${origin} ${operation}`
    const known = counts.get(key) ?? { labels: { operation, status: String(status), origin }, count: 0 }
    known.count += 1
    counts.set(key, known)
  })
  return counts
}
